import { codingsOf, decoded } from '../http/content-coding.ts'
import { type Endpoint, headerName } from '../platform/endpoints.ts'
import type { QueryPair } from './query-rules.ts'
import type { RelayedAnswer } from './response-rules.ts'

/**
 * A page with the address of the next one as `Link` (RFC 8288), relative to the request's own, so that it is right
 * behind whatever host and path the API has. The last page has none, nor has what is no page.
 */
export async function withNextPage(
  answer: RelayedAnswer,
  { nextPage }: Pick<Endpoint, 'nextPage'>,
  request: { readonly headerPrefix: string; readonly query: readonly QueryPair[] },
): Promise<RelayedAnswer> {
  if (!nextPage || answer.statusCode !== 200) return answer
  const { tokenHeader, tokenQuery } = nextPage
  const fresh = answer.headers[headerName(tokenHeader, request.headerPrefix)]
  // An answer without a token goes on with the last one. As the caller wrote it, which is how it went up.
  const kept = request.query.find(({ name }) => name === tokenQuery)?.raw
  const query = fresh?.trim() ? `${tokenQuery}=${encodeURIComponent(fresh.trim())}` : kept
  if (query === undefined || !(await holdsDocuments(answer))) return answer
  return { ...answer, headers: { ...answer.headers, link: `<?${query}>; rel="next"` } }
}

/** What an end can be: nothing, white space or an empty list. Larger than this, compressed, it is none of them. */
const maxEndBytes = 1024

async function holdsDocuments({ headers, body = Buffer.alloc(0) }: RelayedAnswer): Promise<boolean> {
  if (!/\bjson\b/i.test(headers['content-type'] ?? 'json')) return false
  const codings = codingsOf(headers['content-encoding'])
  if (codings.length === 0) return isFilledList(body)
  if (body.length === 0) return false
  if (body.length > maxEndBytes) return true
  return decoded(body, codings, 1_000_000).then(isFilledList, () => false)
}

const isFilledList = (body: Buffer) => /^\uFEFF?\s*\[\s*[^\s\]]/.test(body.subarray(0, 4096).toString())
