import type { ScrollPlan } from '../state/run/run.ts'
import type { UpstreamRequest } from '../upstream/client.ts'
import { UpstreamFailure } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import { backoffMs, parseRetryAfter } from '../upstream/retry.ts'
import { withFilter } from './ranges.ts'

export interface SearchIo {
  /** Sends one search for one document. Throws `UpstreamFailure` and `CredentialsError`. */
  request(target: string, headers: Readonly<Record<string, string>>): Promise<UpstreamResponse>
  sleep(ms: number): Promise<void>
  now(): number
  /** For the jitter of waits: 0 to 1. */
  random(): number
}

const maxResponseBytes = 1024 * 1024

/** A search as the platform's client sends it. */
export function searchRequest(
  target: string,
  headers: Readonly<Record<string, string>>,
  totalMs: number,
): UpstreamRequest {
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

/** What a search for one document found. */
export interface SearchResult {
  /** Documents that match. */
  readonly total: number
  /** The value of the field in the first of them; undefined without a document. */
  readonly value: unknown
  /** Requests that this took, at most `maxTries`. */
  readonly requests: number
}

/** The platform does not answer searches in a way that partitions can rely on. The message names the reason. */
export class SearchFailed extends Error {
  override readonly name = 'SearchFailed'
}

export const maxTries = 5
const maxWaitMs = 30_000
const backoff = { baseMs: 500, capMs: 10_000 }

/**
 * Searches for one document and reads the total of the filter (interface section 4.4), which is the cheapest way to
 * count. Retries temporary failures and throws `SearchFailed` for others.
 */
export async function searchOne(
  io: SearchIo,
  { searchPath, entity, query }: SearchTarget,
  { where, sort, by }: { readonly where?: string; readonly sort?: 'ASC' | 'DESC'; readonly by: string },
): Promise<SearchResult> {
  const parameters = new URLSearchParams()
  const { _fields: _allFields, _sort: _ownSort, ...own } = query
  for (const [name, value] of Object.entries(where ? withFilter(own, where) : own))
    for (const one of [value].flat()) parameters.append(name, one)
  parameters.set('_fields', by)
  if (sort) parameters.set('_sort', `${by} ${sort}`)
  const path = searchPath.replaceAll('{data_entity}', encodeURIComponent(entity))
  const target = `${path}?${parameters.toString()}`
  for (let tries = 1; ; tries++) {
    const response = await io.request(target, { 'REST-Range': 'resources=0-1' }).catch(asFailure)
    const read = response instanceof UpstreamFailure ? undefined : readResult(response, by)
    // Sometimes a search finds nothing although documents match, so an empty result is checked once more.
    if (read && (read.total > 0 || tries > 1)) return { ...read, requests: tries }
    if (read) continue
    const problem = problemOf(response)
    if (tries >= maxTries || !mayPass(response)) throw new SearchFailed(problem)
    const askedMs =
      response instanceof UpstreamFailure
        ? 0
        : (parseRetryAfter(response.headers['retry-after'], io.now()) ?? 0)
    await io.sleep(
      Math.min(
        maxWaitMs,
        Math.max(
          askedMs,
          backoffMs(tries, backoff, () => io.random()),
        ),
      ),
    )
  }
}

function readResult({ status, headers, body }: UpstreamResponse, by: string) {
  const range = /^\s*resources=\d+-\d+\/(\d{1,15})\s*$/.exec(String(headers['rest-content-range'] ?? ''))
  if (status < 200 || status > 299 || !range) return undefined
  const [first] = parseArray(body)
  const value = typeof first === 'object' && first !== null ? Reflect.get(first, by) : undefined
  return { total: Number(range[1]), value }
}

function parseArray(body: Buffer): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

function mayPass(response: UpstreamResponse | UpstreamFailure): boolean {
  if (response instanceof UpstreamFailure) return response.kind !== 'too-large'
  const { status } = response
  return status < 300 || status === 408 || status === 429 || status >= 500
}

function problemOf(response: UpstreamResponse | UpstreamFailure): string {
  if (response instanceof UpstreamFailure) return `The search failed: ${response.kind}.`
  if (response.status < 300) return 'The search did not report a total (REST-Content-Range).'
  const { status } = response
  if (status === 401 || status === 403) return `The search answered ${status}: the credentials were rejected.`
  return `The search answered ${status}: the field may not be searchable.`
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  throw error
}
