import { unescape as decodeLeniently } from 'node:querystring'
import { ProblemError } from '../../http/problem.ts'
import type { Endpoint } from '../../platform/endpoints.ts'

export interface QueryPair {
  readonly name: string
  readonly value: string
  /** Name and value as the caller wrote them, and as they are forwarded. */
  readonly raw: string
}

type QueryEntry = Pick<Endpoint, 'query' | 'fieldFilters'>

/** The caller's query parameters in their order, checked against the endpoint's entry. Throws `ProblemError`. */
export function readQuery(rawQueryString: string, entry: QueryEntry): readonly QueryPair[] {
  if (!rawQueryString.isWellFormed())
    throw new ProblemError('invalid-request', 'The query is not valid UTF-8.')
  const pairs = rawQueryString
    .split('&')
    .filter((raw) => raw !== '')
    .map(readPair)
  for (const { name } of pairs) checkName(name, entry)
  checkPaging(pairs)
  return pairs
}

/** The query as it is forwarded, with its question mark; empty without parameters. */
export function queryString(pairs: readonly QueryPair[]): string {
  return pairs.length === 0 ? '' : `?${pairs.map(({ raw }) => raw).join('&')}`
}

/** Characters that RFC 3986 section 3.4 does not allow in a query, although some clients send them. */
const notInQuery = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

function readPair(text: string): QueryPair {
  const split = text.includes('=') ? text.indexOf('=') : text.length
  const name = decode(text.slice(0, split))
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    refuse(
      name,
      `The query parameter ${quote(name)} contains a % that is not part of an escape. Write %25 for a percent sign.`,
    )
  }
  return { name, value: decode(text.slice(split + 1)), raw: text.replace(notInQuery, encodeURIComponent) }
}

/** For our checks only: bytes that are not UTF-8 become U+FFFD here and are forwarded unchanged. */
function decode(text: string): string {
  return decodeLeniently(text.replaceAll('+', ' '))
}

/** Names the account, on endpoints that list it; it is never a field. */
const account = 'an'

/** The name of a document field. `_` begins the platform's own parameters, `X-Amz-` those of a signed URL. */
const fieldName = /^(?!x-amz-)[^_\s\p{Cc}\uFFFD][^\p{Cc}\uFFFD]*$/iu

function checkName(name: string, { query, fieldFilters }: QueryEntry): void {
  if (name === '') refuse(name, 'A query parameter has no name. Remove it, or write name=value.')
  if (query.includes(name) || (fieldFilters && name !== account && fieldName.test(name))) return
  const allowed = [...query, ...(fieldFilters ? ['field names as filters'] : [])]
  const rule = allowed.length === 0 ? 'It has none.' : `Its parameters are ${allowed.join(', ')}.`
  refuse(name, `This endpoint has no query parameter ${quote(name)}. ${rule}`)
}

/** Interface section 4.5: `_size` in the first request only, `_token` in every other request. */
function checkPaging(pairs: readonly QueryPair[]): void {
  const [size, secondSize] = pairs.filter(({ name }) => name === '_size')
  const [token, secondToken] = pairs.filter(({ name }) => name === '_token')
  if (secondSize) refuse('_size', '_size must not be repeated.')
  if (secondToken) refuse('_token', '_token must not be repeated.')
  if (size && token) {
    refuse(
      '_size',
      '_size can be set in the first request of a scroll only. Omit it in requests with _token.',
    )
  }
  if (size && !(/^\d+$/.test(size.value) && Number(size.value) >= 1 && Number(size.value) <= 1000)) {
    refuse('_size', '_size must be an integer from 1 to 1000.')
  }
  if (token?.value === '') {
    refuse(
      '_token',
      '_token is empty. Send the token of the previous response, or omit it to start a scroll.',
    )
  }
}

function refuse(parameter: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { parameter })
}

const quote = (name: string) => `"${name}"`
