import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { ProblemError } from '../http/problem.ts'
import type { UpstreamAnswer } from '../upstream/exchange.ts'
import type { Endpoint } from './endpoints.ts'
import type { QueryPair } from './query-rules.ts'

export type ProxyResult = APIGatewayProxyStructuredResultV2 & { statusCode: number }

/** What a function may return, serialised (Lambda quotas: 6 MB for a synchronous response, and 100 bytes more). */
export const largestResultBytes = 6_291_556

/** The upstream's answer as the caller gets it. Throws `ProblemError` for what is never relayed. */
export function relay(
  answer: UpstreamAnswer,
  endpoint: Endpoint,
  request: { readonly headerPrefix: string; readonly query: readonly QueryPair[] },
): ProxyResult {
  const { status: statusCode, body } = answer
  if (isRedirect(statusCode)) throw redirected(statusCode)
  const headers = {
    ...listedHeaders(answer.headers, responseHeaders(endpoint, request.headerPrefix)),
    ...warning(endpoint, request.query),
  }
  // Neither has a body (RFC 9110 sections 15.3.5 and 15.4.5).
  if (statusCode === 204 || statusCode === 304) return { statusCode, headers }
  const asText = { statusCode, headers, body: body.toString(), isBase64Encoded: false }
  if (isUtf8(body) && !('content-encoding' in headers) && fits(asText, body)) return asText
  const asBase64 = { statusCode, headers, body: body.toString('base64'), isBase64Encoded: true }
  if (fits(asBase64, body)) return asBase64
  throw answerTooLarge(endpoint)
}

/** The names of the entry's response headers under the configured prefix, in lower case. */
export function responseHeaders(endpoint: Endpoint, headerPrefix: string): readonly string[] {
  return endpoint.responseHeaders.map((name) => name.replace('{prefix}', () => headerPrefix).toLowerCase())
}

/** `endpoint` decides what the caller is told to do about it. */
export function answerTooLarge({ whenTooLarge }: Endpoint): ProblemError {
  const detail = `The answer of the platform is larger than the 6 MB that can be passed on. ${whenTooLarge}`
  return new ProblemError('answer-too-large', detail)
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
function listedHeaders(given: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const ofConnection = given.connection?.toLowerCase().split(/\s*,\s*/) ?? []
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = given[name]
    if (value !== undefined && !ofConnection.includes(name)) headers[name] = String(value)
  }
  return headers
}

function warning({ warning }: Endpoint, query: readonly QueryPair[]): Record<string, string> {
  if (!warning || query.some(({ name, value }) => name === warning.withoutQuery && value !== '')) return {}
  return { [warning.header]: warning.text }
}

/** JSON makes at most six bytes of one, so most answers need not be serialised to be measured. */
function fits(result: ProxyResult, body: Buffer): boolean {
  return body.length < 1_000_000 || Buffer.byteLength(JSON.stringify(result)) <= largestResultBytes
}
