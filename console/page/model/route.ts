/** A view of the console, as the part of the URL after `#` names it. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'entity'; readonly entity: string }
  | { readonly view: 'run'; readonly entity: string; readonly runId: string }
  | { readonly view: 'not-found' }

/** Reads `#/entities/CL/runs/…`. */
export function parseRoute(hash: string): Route {
  const parts = segmentsOf(hash)
  const [area, entity, section, runId] = parts
  if (parts.length === 0) return { view: 'overview' }
  if (area !== 'entities' || !entity) return { view: 'not-found' }
  if (section === undefined) return { view: 'entity', entity }
  if (section === 'runs' && runId) return { view: 'run', entity, runId }
  return { view: 'not-found' }
}

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
  entity: (entity: string) => path('entities', entity),
  run: (entity: string, runId: string) => path('entities', entity, 'runs', runId),
} as const
