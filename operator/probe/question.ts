import { scrollPath, tooManyScrolls } from '../../functions/platform/endpoints.ts'
import { platformHeaders } from '../../functions/platform/headers.ts'
import type { ResponseHeaders } from '../../functions/platform/response-headers.ts'
import { parseJson } from '../../functions/runtime/json-object.ts'
import type { EntitySettings, UpstreamSettings } from '../../functions/runtime/settings.ts'
import { UpstreamFailure } from '../../functions/upstream/exchange.ts'
import { classOf } from '../../functions/upstream/intermediary.ts'
import type { UpstreamOutcome } from '../../functions/upstream/retry.ts'
import { withFilter } from '../../stored/partitions/ranges.ts'
import { searchUrl } from '../../stored/partitions/search.ts'
import type { EndKind, ProbeFacts } from './facts.ts'

/** One read-only request. */
export interface ProbeQuestion {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds to wait first. */
  readonly waitMs?: number
  readonly credentials?: 'wrong'
}

export type Document = Readonly<Record<string, unknown>>

/** What became of a request, as far as conclusions need it. `response` is what came instead of documents. */
export type ProbeOutcome =
  | { readonly kind: 'documents'; readonly headers: ResponseHeaders; readonly documents: readonly Document[] }
  | { readonly kind: 'nothing'; readonly headers: ResponseHeaders; readonly form: EndKind }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'none'; readonly response: string }

/** Asks the platform, and concludes from its responses. */
export type ProbeTask<Result = void> = Generator<ProbeQuestion, Result, ProbeOutcome>

export interface Probe {
  readonly entity: Pick<EntitySettings, 'name' | 'idField' | 'query' | 'pageSize'>
  readonly upstream: Pick<UpstreamSettings, 'searchPath' | 'headerPrefix'>
  /** Receives each fact as soon as it is known. */
  readonly facts: ProbeFacts
  /** Whether the platform has refused a scroll because too many are open. */
  readonly scrolls: { areTooMany: boolean }
}

interface SearchQuestion extends Pick<ProbeQuestion, 'credentials'> {
  readonly where?: string
  /** The id by default. */
  readonly fields?: string
  readonly sort?: string
  readonly from?: number
  readonly count?: number
}

export function* search({ entity, upstream }: Probe, question: SearchQuestion = {}): ProbeTask<ProbeOutcome> {
  const { where, fields = entity.idField, sort, from = 0, count = 1, ...more } = question
  const place = { searchPath: upstream.searchPath, entity: entity.name, query: entity.query }
  const target = searchUrl(place, where, { _fields: fields, ...(sort !== undefined && { _sort: sort }) })
  return yield { ...more, target, headers: { [platformHeaders.range]: `resources=${from}-${from + count}` } }
}

const tooMany: ProbeOutcome = { kind: 'none', response: 'too many scrolls' }

/** The first page of the ids, or of what the entity's own query selects. */
export function* openProbeScroll(
  { entity: { name, query, idField }, scrolls }: Probe,
  {
    size,
    where,
    of = 'ids',
  }: { readonly size: number; readonly where?: string; readonly of?: 'ids' | 'query' },
): ProbeTask<ProbeOutcome> {
  if (scrolls.areTooMany) return tooMany
  const filtered = where === undefined ? query : withFilter(query, where)
  const own = of === 'ids' ? { ...filtered, _fields: idField } : filtered
  const outcome = yield scroll(name, { ...own, _size: String(size) })
  scrolls.areTooMany = outcome === tooMany
  return outcome
}

export function* continueScroll({ entity }: Probe, token: string, waitMs = 0): ProbeTask<ProbeOutcome> {
  return yield { ...scroll(entity.name, { _token: token }), waitMs }
}

function scroll(entity: string, query: EntitySettings['query']): ProbeQuestion {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const path = scrollPath.replace('{data_entity}', encodeURIComponent(entity))
  return { target: `${path}?${new URLSearchParams(pairs).toString()}`, headers: {} }
}

/** Reads a response whose content coding is reversed. */
export function probeOutcome(outcome: UpstreamOutcome): ProbeOutcome {
  if (outcome instanceof UpstreamFailure) return { kind: 'none', response: outcome.kind }
  const { status, headers, body } = outcome
  const by = classOf(outcome)
  if (by !== undefined && by !== 'rejected') return { kind: 'none', response: by }
  if (status === 400 && tooManyScrolls.test(body.toString())) return tooMany
  if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) return { kind: 'refused', status }
  if (status >= 300) return { kind: 'none', response: String(status) }
  const read = status === 204 ? 'no-content' : readBody(body.toString())
  if (typeof read === 'string') return { kind: 'nothing', headers, form: read }
  return read ? { kind: 'documents', headers, documents: read } : { kind: 'none', response: 'no list' }
}

const nothing = new Map<string, EndKind>([
  ['', 'empty'],
  ['[]', 'brackets'],
  ['null', 'null'],
  ['{}', 'object'],
  ['""', 'text'],
])

function readBody(text: string): EndKind | readonly Document[] | undefined {
  const trimmed = text.trim()
  if (trimmed === '' && text !== '') return 'white-space'
  const value = parseJson(trimmed)
  const form = nothing.get(JSON.stringify(value) ?? trimmed)
  return form ?? (Array.isArray(value) ? value.map(Object) : undefined)
}
