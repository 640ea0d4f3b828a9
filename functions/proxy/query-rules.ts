import { unescape as decodeLeniently } from 'node:querystring'
import { ProblemError } from '../http/problem.ts'
import type { Endpoint } from '../platform/endpoints.ts'

export interface QueryPair {
  readonly name: string
  readonly value: string
  /** Name and value as the caller wrote them, and as they go up. */
  readonly raw: string
}

type QueryEntry = Pick<Endpoint, 'query' | 'fieldFilters'>

/** The caller's query parameters in their order, each checked against the endpoint's entry. */
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

/** The query as it goes up, with its question mark; empty without parameters. */
export function queryString(pairs: readonly QueryPair[]): string {
  return pairs.length === 0 ? '' : `?${pairs.map(({ raw }) => raw).join('&')}`
}

/** Whatever RFC 3986 section 3.4 does not let stand in a query; a client may send it all the same. */
const notInQuery = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

function readPair(text: string): QueryPair {
  const split = text.includes('=') ? text.indexOf('=') : text.length
  const name = decode(text.slice(0, split))
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) {
    refuse(
      name,
      `The query parameter ${quote(name)} holds a % that starts no escape. Write %25 for a percent sign.`,
    )
  }
  return { name, value: decode(text.slice(split + 1)), raw: text.replace(notInQuery, encodeURIComponent) }
}

/** Only to look at: bytes that are not UTF-8 become U+FFFD here and go up as they are. */
function decode(text: string): string {
  return decodeLeniently(text.replaceAll('+', ' '))
}

/**
 * A field's name. A leading `_` is the platform's own; `X-Amz-…` is what a caller signs a URL with, which is
 * between the caller and us.
 */
const fieldName = /^(?!x-amz-)[^_\s\p{Cc}\uFFFD][^\p{Cc}\uFFFD]*$/iu

function checkName(name: string, { query, fieldFilters }: QueryEntry): void {
  if (name === '') refuse(name, 'A query parameter has no name. Remove it, or write name=value.')
  if (query.includes(name) || (fieldFilters && fieldName.test(name))) return
  const allowed = [...query, ...(fieldFilters ? ['field names as filters'] : [])]
  const rule = allowed.length === 0 ? 'It takes none.' : `It takes ${allowed.join(', ')}.`
  refuse(name, `This endpoint does not take the query parameter ${quote(name)}. ${rule}`)
}

/** Interface section 4.5: `_size` in the first request only, `_token` in every other. */
function checkPaging(pairs: readonly QueryPair[]): void {
  const [size, secondSize] = pairs.filter(({ name }) => name === '_size')
  const [token, secondToken] = pairs.filter(({ name }) => name === '_token')
  if (secondSize) refuse('_size', '_size may stand once only.')
  if (secondToken) refuse('_token', '_token may stand once only.')
  if (size && token) {
    refuse(
      '_size',
      '_size can be set in the first request of a scroll only. Leave it out where _token is sent.',
    )
  }
  if (size && !(/^\d+$/.test(size.value) && Number(size.value) >= 1 && Number(size.value) <= 1000)) {
    refuse('_size', '_size must be an integer from 1 to 1000.')
  }
  if (token?.value === '') {
    refuse(
      '_token',
      '_token is empty. Send the token of the previous answer, or leave it out to start a scroll.',
    )
  }
}

function refuse(parameter: string, detail: string): never {
  throw new ProblemError('invalid-request', detail, { parameter })
}

const quote = (name: string) => `"${name}"`
