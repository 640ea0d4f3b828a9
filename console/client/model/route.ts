/** A view of the console, as the part of the URL after `#` names it. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'timeline'; readonly hours: TimelineHours }
  | { readonly view: 'entity'; readonly entity: string }
  | { readonly view: 'run'; readonly entity: string; readonly runId: string }
  | { readonly view: 'evidence'; readonly entity: string; readonly runId: string }
  | { readonly view: 'snapshots'; readonly entity: string; readonly runId: string | undefined }
  | { readonly view: 'document'; readonly entity: string; readonly id: string }
  | { readonly view: 'changes'; readonly entity: string; readonly runId: string | undefined }
  | { readonly view: 'schema'; readonly entity: string }
  | { readonly view: 'not-found' }

/** How many hours the timeline shows. */
export type TimelineHours = keyof typeof periodNames

/** The periods of the timeline, as the URL and the page name them. */
export const periodNames = { 1: '1h', 6: '6h', 24: '24h', 168: '7d' } as const
const usualHours = 24

export type EntityRoute = Extract<Route, { readonly entity: string }>

type Section = (entity: string, last: string | undefined) => Route

const notFound = { view: 'not-found' } as const

const sections: Readonly<Record<string, Section>> = {
  runs: (entity, runId) => (runId === undefined ? notFound : { view: 'run', entity, runId }),
  evidence: (entity, runId) => (runId === undefined ? notFound : { view: 'evidence', entity, runId }),
  snapshots: (entity, runId) => ({ view: 'snapshots', entity, runId }),
  documents: (entity, id) => (id === undefined ? notFound : { view: 'document', entity, id }),
  changes: (entity, runId) => ({ view: 'changes', entity, runId }),
  schema: (entity, last) => (last === undefined ? { view: 'schema', entity } : notFound),
}

/** Reads `#/entities/CL/runs/…`. */
export function parseRoute(hash: string): Route {
  const parts = segmentsOf(hash)
  const [area, entity, section, last, ...rest] = parts
  if (parts.length === 0) return { view: 'overview' }
  if (area === 'timeline') return timelineRoute(parts.slice(1))
  if (area !== 'entities' || !entity) return notFound
  if (rest.length > 0) return notFound
  if (section === undefined) return { view: 'entity', entity }
  return Object.hasOwn(sections, section) ? (sections[section]?.(entity, last) ?? notFound) : notFound
}

/** `#/timeline` shows a day, `#/timeline/7d` a week. */
function timelineRoute(parts: readonly string[]): Route {
  if (parts.length === 0) return { view: 'timeline', hours: usualHours }
  const found = timelinePeriods.find((hours) => periodNames[hours] === parts[0])
  return parts.length === 1 && found && found !== usualHours ? { view: 'timeline', hours: found } : notFound
}

export const timelinePeriods = Object.keys(periodNames).map(Number) as readonly TimelineHours[]

function segmentsOf(hash: string): string[] {
  try {
    return hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    return ['malformed']
  }
}

const path = (...segments: readonly string[]) => `#/${segments.map(encodeURIComponent).join('/')}`

export const links = {
  overview: () => '#/',
  timeline: (hours: TimelineHours = usualHours) =>
    hours === usualHours ? path('timeline') : path('timeline', periodNames[hours]),
  entity: (entity: string) => path('entities', entity),
  run: (entity: string, runId: string) => path('entities', entity, 'runs', runId),
  evidence: (entity: string, runId: string) => path('entities', entity, 'evidence', runId),
  snapshots: (entity: string) => path('entities', entity, 'snapshots'),
  snapshot: (entity: string, runId: string) => path('entities', entity, 'snapshots', runId),
  document: (entity: string, id: string) => path('entities', entity, 'documents', id),
  changes: (entity: string) => path('entities', entity, 'changes'),
  schema: (entity: string) => path('entities', entity, 'schema'),
  changeSet: (entity: string, runId: string) => path('entities', entity, 'changes', runId),
} as const

/** Where a version of a document comes from. */
export const sourceOf = (entity: string, runId: string) => ({
  snapshot: { text: 'snapshot', href: links.snapshot(entity, runId) },
  'change-set': { text: 'change set', href: links.changeSet(entity, runId) },
  increment: { text: 'increment', href: links.changeSet(entity, runId) },
})

/** The names of a route and of what is above it, for the path at the top and the title. */
export function crumbsOf(route: Route): { readonly text: string; readonly href: string }[] {
  const overview = { text: 'Overview', href: links.overview() }
  if (route.view === 'timeline') return [overview, { text: 'Timeline', href: links.timeline(route.hours) }]
  if (!('entity' in route)) return [overview]
  const below = crumbsBelow(route).map(([text, href]) => ({ text, href }))
  return [overview, { text: route.entity, href: links.entity(route.entity) }, ...below]
}

function crumbsBelow(route: EntityRoute): [text: string, href: string][] {
  const { view, entity } = route
  if (view === 'entity') return []
  if (view === 'document') return [['Document', links.document(entity, route.id)]]
  if (view === 'run' || view === 'evidence') {
    const run: [string, string] = ['Run', links.run(entity, route.runId)]
    return view === 'run' ? [run] : [run, ['Evidence', links.evidence(entity, route.runId)]]
  }
  const title = { snapshots: 'Snapshots', changes: 'Changes', schema: 'Schema' }[view]
  const own: [string, string] = [title, links[view](entity)]
  const isSet = view === 'changes' && route.runId !== undefined
  return isSet ? [own, ['Change set', links.changeSet(entity, route.runId)]] : [own]
}

/** The title of the browser's tab. */
export function titleOf(route: Route): string {
  const names = crumbsOf(route).map(({ text }) => text)
  return `${names.slice(1).join(' · ') || 'Overview'} · Longshore`
}
