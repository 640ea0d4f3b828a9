import { withFilter } from '../../functions/partitions/ranges.ts'
import { searchUrl } from '../../functions/partitions/search.ts'
import { scrollPath } from '../../functions/platform/endpoints.ts'
import type { ResponseHeaders } from '../../functions/platform/response-headers.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { UpstreamFailure } from '../../functions/upstream/errors.ts'
import { classOf } from '../../functions/upstream/intermediary.ts'
import type { UpstreamOutcome } from '../../functions/upstream/retry.ts'

/** One read-only request. */
export interface Question {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds to wait first. */
  readonly waitMs?: number
  readonly credentials?: 'wrong'
}

export type Document = Readonly<Record<string, unknown>>

/** What became of a request, as far as conclusions need it. */
export type Answer =
  | { readonly kind: 'documents'; readonly headers: ResponseHeaders; readonly documents: readonly Document[] }
  | { readonly kind: 'nothing'; readonly headers: ResponseHeaders; readonly form: NothingForm }
  | { readonly kind: 'refused'; readonly status: number }
  /** `response` is the status, the kind of failure, or who responded instead of the platform. */
  | { readonly kind: 'none'; readonly response: string }

export type NothingForm =
  | 'empty-body'
  | 'white-space'
  | 'empty-array'
  | 'no-content'
  | 'null'
  | 'object'
  | 'text'

/** Asks the platform, and concludes from what it answers. */
export type Asking<Result = void> = Generator<Question, Result, Answer>

export interface ProbedEntity {
  readonly entity: Pick<EntitySettings, 'name' | 'idField' | 'query' | 'pageSize' | 'partitions'>
  readonly searchPath: string
}

interface SearchQuestion {
  readonly where?: string
  readonly fields: string
  readonly sort?: string
  readonly from?: number
  readonly count?: number
  readonly credentials?: 'wrong'
}

export function* search(
  { entity: { name, query }, searchPath }: ProbedEntity,
  { where, fields, sort, from = 0, count = 1, ...more }: SearchQuestion,
): Asking<Answer> {
  const parameters = { _fields: fields, ...(sort !== undefined && { _sort: sort }) }
  const target = searchUrl({ searchPath, entity: name, query }, where, parameters)
  return yield { ...more, target, headers: { 'REST-Range': `resources=${from}-${from + count}` } }
}

/** A first request, with these fields of the documents, or those of the entity's own query. */
export function* openScroll(
  { entity: { name, query } }: ProbedEntity,
  { size, where, fields }: { readonly size: number; readonly where?: string; readonly fields?: string },
): Asking<Answer> {
  const own = where === undefined ? query : withFilter(query, where)
  return yield scrollQuestion(name, {
    ...own,
    ...(fields !== undefined && { _fields: fields }),
    _size: String(size),
  })
}

export function* continueScroll({ entity }: ProbedEntity, token: string, waitMs = 0): Asking<Answer> {
  return yield { ...scrollQuestion(entity.name, { _token: token }), waitMs }
}

function scrollQuestion(entity: string, query: EntitySettings['query']): Question {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) parameters.append(name, one)
  const path = scrollPath.replace('{data_entity}', encodeURIComponent(entity))
  return { target: `${path}?${parameters.toString()}`, headers: {} }
}

/** Reads a response whose content coding is reversed. */
export function readAnswer(outcome: UpstreamOutcome): Answer {
  if (outcome instanceof UpstreamFailure) return { kind: 'none', response: outcome.kind }
  const { status, headers, body } = outcome
  const by = classOf(outcome)
  if (by !== undefined && by !== 'rejected') return { kind: 'none', response: by }
  if (status >= 400 && status < 500 && status !== 408) return { kind: 'refused', status }
  if (status >= 300) return { kind: 'none', response: String(status) }
  const read = status === 204 ? 'no-content' : readBody(body.toString())
  if (read === undefined) return { kind: 'none', response: 'no JSON' }
  return typeof read === 'string'
    ? { kind: 'nothing', headers, form: read }
    : { kind: 'documents', headers, documents: read }
}

function readBody(text: string): NothingForm | readonly Document[] | undefined {
  if (text.trim() === '') return text === '' ? 'empty-body' : 'white-space'
  try {
    const value: unknown = JSON.parse(text.trim())
    if (Array.isArray(value)) return value.length === 0 ? 'empty-array' : value.map(Object)
    if (value === null) return 'null'
    if (value === '') return 'text'
    return typeof value === 'object' && Object.keys(value).length === 0 ? 'object' : undefined
  } catch {
    return undefined
  }
}
