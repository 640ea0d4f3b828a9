import type { IncomingHttpHeaders } from 'node:http'
import { ProblemError } from '../http/problem.ts'
import { type Endpoint, headerName } from '../platform/endpoints.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import type { QueryPair } from './query-rules.ts'

/** What of the upstream's answer comes down, before it is put in the form that its caller takes. */
export interface RelayedAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  /** As the upstream sent it. */
  readonly body?: Buffer
}

/** The upstream's answer as far as the endpoint's entry lets it down. Throws `ProblemError` for what is never relayed. */
export function relay(
  answer: UpstreamResponse,
  endpoint: Endpoint,
  request: { readonly headerPrefix: string; readonly query: readonly QueryPair[] },
): RelayedAnswer {
  const { status: statusCode, body } = answer
  if (isRedirect(statusCode)) throw redirected(statusCode)
  if (statusCode < 200 || statusCode > 599) {
    throw unusable('Its status is none of those that HTTP has (RFC 9110 section 15).', statusCode)
  }
  // Any but `chunked` has to be asked for (RFC 9112 section 7.4), and the bytes would not be those of the body.
  if (!/^(chunked)?$/i.test(answer.headers['transfer-encoding'] ?? '')) {
    throw unusable('It came in a transfer coding that was not asked for.', statusCode)
  }
  const headers = {
    ...listedHeaders(answer, responseHeaders(endpoint, request.headerPrefix)),
    ...warning(endpoint, request.query),
  }
  // Neither has a body (RFC 9110 sections 15.3.5 and 15.4.5).
  return statusCode === 204 || statusCode === 304 ? { statusCode, headers } : { statusCode, headers, body }
}

/** The names of the entry's response headers under the configured prefix, in lower case. */
export function responseHeaders(endpoint: Endpoint, headerPrefix: string): readonly string[] {
  return endpoint.responseHeaders.map((name) => headerName(name, headerPrefix))
}

/** `endpoint` decides what the caller is told to do about it. */
export function answerTooLarge({ whenTooLarge }: Endpoint): ProblemError {
  const detail = `The answer of the platform is larger than the 6 MB that can be passed on. ${whenTooLarge}`
  return new ProblemError('answer-too-large', detail)
}

/** Whether the platform did what it was asked is between the lines of its status, which is told. */
export function unusable(reason: string, upstreamStatus: number): ProblemError {
  const detail = `The platform answered with status ${upstreamStatus}, and its answer cannot be passed on. ${reason}`
  return new ProblemError('upstream-answer-unusable', detail, { upstreamStatus })
}

/** 304 only tells a caller that asked by a condition, and conditions do not go up, so it is relayed as any status. */
function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304
}

/** Where to is not said: the target is the platform's affair, and may carry what is not for callers. */
function redirected(upstreamStatus: number): ProblemError {
  const detail =
    'Redirects are neither followed nor passed on. Whoever runs Longshore should check upstream.baseUrl and upstream.searchPath in its configuration.'
  return new ProblemError('upstream-redirect', detail, { upstreamStatus })
}

/**
 * Only what is listed comes down, and of that not what the upstream declares to be meant for the connection (RFC
 * 9110 section 7.6.1). If there is no Content-Type, API Gateway adds one of its own (text/plain); a function cannot
 * prevent it.
 */
function listedHeaders(
  { headers: given, status }: { headers: IncomingHttpHeaders; status: number },
  names: readonly string[],
): Record<string, string> {
  const ofConnection = given.connection?.toLowerCase().split(/\s*,\s*/) ?? []
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = given[name] === undefined ? undefined : String(given[name])
    if (value === undefined || ofConnection.includes(name)) continue
    // Left out, a token would seem to have stayed the same; let through, nobody knows which bytes arrive.
    if (!/^[\t\x20-\x7e]*$/.test(value)) throw unusable(`Its header ${name} is not ASCII.`, status)
    headers[name] = value
  }
  return headers
}

function warning({ warning }: Endpoint, query: readonly QueryPair[]): Record<string, string> {
  if (!warning || query.some(({ name, value }) => name === warning.withoutQuery && value !== '')) return {}
  return { [warning.header]: warning.text }
}
