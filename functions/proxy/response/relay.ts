import type { IncomingHttpHeaders } from 'node:http'
import { ProblemError, type ProblemName } from '../../http/result.ts'
import { type Endpoint, isConditional, responseHeaders, warningHeader } from '../../platform/endpoints.ts'
import { headerName } from '../../platform/headers.ts'
import { readMediaType, readRedirectHost, readToken } from '../../platform/response-headers.ts'
import { codingsIn, codingsOf, DecodingError, decode } from '../../upstream/content-codings.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { intermediaryOf, intermediaryTexts } from '../../upstream/intermediary.ts'
import { needsWarning, type QueryPair } from '../request/query-rules.ts'

/** The part of the platform's response that is relayed, before it is encoded for the caller. */
export interface RelayedResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  /** As the platform sent it. */
  readonly body?: Buffer
}

/** The response with the headers that the endpoint lists. Throws `ProblemError` for one that is never relayed. */
export function relay(
  result: UpstreamResponse,
  endpoint: Endpoint,
  request: { readonly headerPrefix: string; readonly query: readonly QueryPair[] },
): RelayedResponse {
  const { status: statusCode, body } = result
  if (isRedirect(statusCode)) throw redirected(result, endpoint)
  if (statusCode < 200 || statusCode > 599)
    throw unusable('Its status is not an HTTP status (RFC 9110 section 15).', statusCode)
  // Node decodes only `chunked`; every other coding has to be requested (RFC 9112 section 7.4).
  if (!/^(chunked)?$/i.test(result.headers['transfer-encoding'] ?? ''))
    throw unusable('It has a transfer coding that was not requested.', statusCode)
  const names = endpoint.responseHeaders.map((name) => headerName(name, request.headerPrefix))
  const headers = {
    ...withRealCodings(listedHeaders(result, names, endpoint), body),
    ...warningsOf(result, endpoint, request.query),
    ...(isConditional(endpoint) && { 'cache-control': 'private, no-cache' }),
  }
  // Neither status has a body (RFC 9110 sections 15.3.5 and 15.4.5).
  return statusCode === 204 || statusCode === 304 ? { statusCode, headers } : { statusCode, headers, body }
}

export function responseTooLarge({ method, withoutResponse }: Endpoint): ProblemError {
  const step = method === 'GET' ? withoutResponse : `${withoutResponse} before you send the update again.`
  const detail = `The platform's response is larger than 6 MB, the limit of a Lambda function. ${step}`
  return new ProblemError('response-too-large', detail)
}

/** A response that is not relayed. Its status shows whether the platform acted on the request. */
export class UnusableResponse extends ProblemError {
  readonly upstreamStatus: number

  constructor(problem: ProblemName, detail: string, upstreamStatus: number) {
    super(problem, detail, { upstreamStatus })
    this.upstreamStatus = upstreamStatus
  }
}

export function unusable(reason: string, upstreamStatus: number): UnusableResponse {
  const detail = `The platform responded with status ${upstreamStatus}, and the response cannot be relayed. ${reason}`
  return new UnusableResponse('upstream-response-unusable', detail, upstreamStatus)
}

/** 304 is not a redirect: a caller who sent If-None-Match has the response already. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/** Only the log has the target: it may contain information that is not meant for callers. */
function redirected({ status, headers }: UpstreamResponse, endpoint: Endpoint): UnusableResponse {
  const path = isConditional(endpoint) ? ' and endpoints' : ''
  const settings = endpoint.upstreamPath ? ` and upstream.${endpoint.upstreamPath}` : path
  const detail = `Redirects are neither followed nor relayed. The operator of Longshore should check upstream.baseUrl${settings} in the configuration.`
  const problem = new UnusableResponse('upstream-redirect', detail, status)
  problem.cause = new Error(`The platform redirects to ${readRedirectHost(headers)}.`)
  return problem
}

/**
 * The listed headers without those that the platform declares as hop-by-hop (RFC 9110 section 7.6.1). If there is no
 * Content-Type, API Gateway adds text/plain; a function cannot prevent that.
 */
function listedHeaders(
  { headers: given, status }: { headers: IncomingHttpHeaders; status: number },
  names: readonly string[],
  endpoint: Endpoint,
): Record<string, string> {
  const hopByHop = given.connection?.toLowerCase().split(/\s*,\s*/) ?? []
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = given[name] === undefined ? undefined : String(given[name])
    if (value === undefined || hopByHop.includes(name)) continue
    // If it were relayed, its bytes could change on the way. If one of ours were dropped, a new token could be lost.
    if (/^[\t\x20-\x7e]*$/.test(value)) headers[name] = value
    else if (!isConditional(endpoint) || responseHeaders.includes(name))
      throw unusable(`Its header ${name} is not ASCII.`, status)
  }
  return headers
}

/** `Content-Encoding` without names that are no codings or not those of the body, which clients cannot decode. */
function withRealCodings(
  { 'content-encoding': given, ...headers }: Record<string, string>,
  body: Buffer,
): Record<string, string> {
  const codings = codingsIn(body, given)
  return codings.length === 0 ? headers : { ...headers, 'content-encoding': codings.join(', ') }
}

function warningsOf(
  response: UpstreamResponse,
  endpoint: Endpoint,
  query: readonly QueryPair[],
): Record<string, string> {
  const by = intermediaryOf(response)
  const texts = [
    ...(by === undefined ? [] : [`${intermediaryTexts[by]}.`]),
    ...(endpoint.warning && needsWarning(query, endpoint) ? [endpoint.warning.text] : []),
  ]
  return texts.length === 0 ? {} : { [warningHeader]: texts.join(' ') }
}

/**
 * Adds the URL of the next page as `Link` (RFC 8288) to a page of a scroll. It is relative to the request's URL, so
 * that it is correct behind any host and path. The last page has none.
 */
export function withNextPage(
  response: RelayedResponse,
  { nextPage }: Pick<Endpoint, 'nextPage'>,
  request: { readonly headerPrefix: string; readonly query: readonly QueryPair[] },
): RelayedResponse {
  if (!nextPage || response.statusCode !== 200) return response
  const { tokenHeader, tokenQuery } = nextPage
  const newToken = readToken(response.headers, headerName(tokenHeader, request.headerPrefix))
  // A response without a token continues with the previous one, exactly as the caller sent it.
  const previous = request.query.find(({ name }) => name === tokenQuery)?.raw
  const query = newToken ? `${tokenQuery}=${encodeURIComponent(newToken)}` : previous
  if (query === undefined || !containsDocuments(response)) return response
  return { ...response, headers: { ...response.headers, link: `<?${query}>; rel="next"` } }
}

/** The end of a scroll is an empty body, white space or an empty list: compressed, it is never larger than this. */
const maxEndBytes = 1024

function containsDocuments({ headers, body = Buffer.alloc(0) }: RelayedResponse): boolean {
  if (!/^$|[/+]json$/.test(readMediaType(headers))) return false
  const codings = codingsOf(headers['content-encoding'])
  if (codings.length === 0) return isFilledList(body)
  if (body.length > maxEndBytes) return true
  try {
    return isFilledList(decode(body, codings, 1_000_000))
  } catch (error) {
    if (error instanceof DecodingError) return false
    throw error
  }
}

const isFilledList = (body: Buffer) => /^\uFEFF?\s*\[\s*[^\s\]]/.test(body.subarray(0, 4096).toString())
