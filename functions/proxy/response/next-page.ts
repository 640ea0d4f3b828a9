import type { Endpoint } from '../../platform/endpoints.ts'
import { headerName } from '../../platform/headers.ts'
import { readMediaType, readToken } from '../../platform/response-headers.ts'
import { codingsOf, DecodingError, decode } from '../../upstream/content-codings.ts'
import type { QueryPair } from '../request/query-rules.ts'
import type { RelayedResponse } from './relay.ts'

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
