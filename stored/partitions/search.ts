import type { UpstreamRequest } from '../../functions/upstream/client.ts'
import { decodeResponse } from '../../functions/upstream/decode-response.ts'
import type { UpstreamResponse } from '../../functions/upstream/exchange.ts'
import { sendWithRetries, type UpstreamOutcome } from '../../functions/upstream/retry.ts'
import type { ScrollPlan } from '../run/run.ts'
import { withFilter } from './ranges.ts'
import type { SearchFailure, SearchFailureReason } from './search-outcomes.ts'
import { searchFailure, searchMessage, totalOf } from './search-outcomes.ts'

export interface SearchIo {
  /** Sends one search for one document. Throws `UpstreamFailure` and `CredentialsError`. */
  request(target: string, headers: Readonly<Record<string, string>>): Promise<UpstreamResponse>
  sleep(ms: number): Promise<void>
  now(): number
  /** For the jitter of waits: 0 to 1. */
  random(): number
  /** Removes the platform's credentials from a text. */
  redact(text: string): string
  /** When the last repeat must be sent, in epoch milliseconds. */
  readonly deadline: number
}

const maxResponseBytes = 1024 * 1024

/** A search as the platform's client sends it. */
export function searchRequest(
  target: string,
  headers: Readonly<Record<string, string>>,
  totalMs: number,
): UpstreamRequest & { readonly maxBytes: number } {
  return {
    area: 'documents',
    method: 'GET',
    target,
    headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', ...headers },
    totalMs,
    maxBytes: maxResponseBytes,
  }
}

export interface SearchTarget {
  readonly searchPath: string
  readonly entity: string
  readonly query: ScrollPlan['query']
}

/** The header of a search for one document. */
export const oneDocument = { 'REST-Range': 'resources=0-1' } as const

/** Path and query of a search with the entity's own query, a filter, and these parameters in place of its own. */
export function searchUrl(
  { searchPath, entity, query }: SearchTarget,
  where: string | undefined,
  replaced: Readonly<Record<'_fields', string>> & { readonly _sort?: string },
): string {
  const { _fields: _allFields, _sort: _ownSort, ...own } = query
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...(where ? withFilter(own, where) : own), ...replaced }))
    for (const one of [value].flat()) parameters.append(name, one)
  return `${searchPath.replaceAll('{data_entity}', encodeURIComponent(entity))}?${parameters.toString()}`
}

/** What a search for one document found. */
export interface SearchResult {
  /** Documents that match. */
  readonly total: number
  /** The value of the field in the first of them; undefined without a document. */
  readonly value: unknown
  /** Requests that this took, at most `maxTries`. */
  readonly requests: number
}

/** A search has no result. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed'
  readonly reason: SearchFailureReason

  constructor(reason: SearchFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Searches for one document and reads the total of the filter (interface section 4.4), which is the cheapest way to
 * count. Retries temporary failures and throws `SearchFailed` for others.
 */
export async function searchOne(
  io: SearchIo,
  target: SearchTarget,
  { where, sort, by }: { readonly where?: string; readonly sort?: 'ASC' | 'DESC'; readonly by: string },
): Promise<SearchResult> {
  const url = searchUrl(target, where, { _fields: by, ...(sort && { _sort: `${by} ${sort}` }) })
  const sent = { requests: 0, foundNothing: false, failure: undefined as SearchFailure | undefined }
  const outcome = await sendWithRetries(
    async () => {
      sent.requests++
      return decodeResponse(await io.request(url, oneDocument), maxResponseBytes)
    },
    (outcome) => {
      sent.failure = searchFailure(outcome, sent)
      sent.foundNothing ||= totalOf(outcome) === 0
      return sent.failure?.policy
    },
    io,
  )
  const { failure, requests } = sent
  if (failure) throw new SearchFailed(failure.reason, searchMessage(failure, outcome, io))
  return { total: totalOf(outcome) ?? 0, value: firstValue(outcome, by), requests }
}

const firstValue = (outcome: UpstreamOutcome, by: string): unknown => {
  const first = 'body' in outcome ? firstDocument(outcome) : undefined
  return first && Reflect.get(first, by)
}

/** The first document that a search found. */
export function firstDocument({ body }: Pick<UpstreamResponse, 'body'>): object | undefined {
  const [first] = parseArray(body)
  return typeof first === 'object' && first !== null ? first : undefined
}

function parseArray(body: Buffer): readonly unknown[] {
  try {
    // An intermediary may have added a byte order mark, which `trim` removes too.
    const parsed: unknown = JSON.parse(body.toString().trim())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}
