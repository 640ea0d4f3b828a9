import { unescape as decodeLeniently } from 'node:querystring'
import { ProblemError, refuseParameter } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { accountQuery, otherQueryPatterns, placeholders } from '../../platform/query-names.ts'

export interface QueryPair {
  readonly name: string
  readonly value: string
  /** Name and value as the caller wrote them, and as they are forwarded, if they are. */
  readonly raw: string
}

type QueryEntry = Pick<Endpoint, 'query' | 'otherQuery' | 'warning' | 'nextPage'>

/** The caller's query parameters in order, checked against the endpoint and the account. Throws `ProblemError`. */
export function allowedQuery(
  rawQueryString: string,
  entry: QueryEntry,
  account: string | undefined,
): readonly QueryPair[] {
  if (!rawQueryString.isWellFormed())
    throw new ProblemError('invalid-request', 'The query is not valid UTF-8.')
  const pairs = rawQueryString
    .split('&')
    .filter((raw) => raw !== '')
    .map(readPair)
  for (const pair of pairs) {
    checkName(pair.name, entry)
    checkValue(pair, entry)
  }
  checkAccount(pairs, entry, account)
  if (entry.nextPage) checkPaging(pairs)
  return pairs
}

/** The query as it is forwarded, with its question mark; empty without parameters. */
export function queryString(pairs: readonly QueryPair[], entry: QueryEntry): string {
  const forwarded = pairs.filter(
    ({ name }) => !isIgnored(name, pairs, entry) && (name !== accountQuery || entry.query.includes(name)),
  )
  return forwarded.length === 0 ? '' : `?${forwarded.map(({ raw }) => raw).join('&')}`
}

/** Whether a query has what the endpoint's warning is about. */
export function needsWarning(pairs: readonly QueryPair[], entry: QueryEntry): boolean {
  const { warning } = entry
  if (!warning) return false
  if ('ignoredQuery' in warning) return pairs.some(({ name }) => isIgnored(name, pairs, entry))
  return !pairs.some(({ name, value }) => name === warning.withoutQuery && value !== '')
}

function isIgnored(name: string, pairs: readonly QueryPair[], { warning }: QueryEntry): boolean {
  if (!warning || !('ignoredQuery' in warning) || name !== warning.ignoredQuery) return false
  return pairs.some((other) => other.name === warning.togetherWith)
}

/** Characters that RFC 3986 section 3.4 does not allow in a query, although some clients send them. */
const notInQuery = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

function readPair(text: string): QueryPair {
  const split = text.includes('=') ? text.indexOf('=') : text.length
  const written = decode(text.slice(0, split))
  const name = isAccount(written) ? accountQuery : written
  const noEscape = `The query parameter ${quote(name)} contains a % that is not part of an escape. Write %25 for a percent sign.`
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) refuseParameter(name, noEscape)
  const given = name === written ? text : `${name}${text.slice(split)}`
  return { name, value: decode(text.slice(split + 1)), raw: given.replace(notInQuery, encodeURIComponent) }
}

/** A platform that compares names leniently must not read another account from a parameter that passes as a field. */
const isAccount = (name: string): boolean => name.replaceAll(/\s/g, '').toLowerCase() === accountQuery

/** For our checks only: bytes that are not UTF-8 become U+FFFD here and are forwarded unchanged. */
const decode = (text: string): string => decodeLeniently(text.replaceAll('+', ' '))

/** Names that need not be listed, for messages. */
const others = {
  none: [],
  fields: ['field names as filters'],
  any: ['any but X-Amz-…, credentials and names with control characters'],
}

function checkName(name: string, { query, otherQuery }: QueryEntry): void {
  if (name === '') refuseParameter(name, 'A query parameter has no name. Remove it, or write name=value.')
  if (name === accountQuery || query.includes(name)) return
  if (otherQuery !== 'none' && new RegExp(otherQueryPatterns[otherQuery], 'u').test(name)) return
  if (otherQuery !== 'none' && name === placeholders[otherQuery])
    refuseParameter(name, `${quote(name)} is not a parameter. ${ruleOf(otherQuery)}`)
  const brackets = `The name of the query parameter ${quote(name)} contains [ or ]. ${ruleOf(otherQuery)}`
  if (otherQuery === 'fields' && /[[\]]/.test(name)) refuseParameter(name, brackets)
  const allowed = [...query, ...others[otherQuery]]
  const rule = allowed.length === 0 ? 'It accepts none.' : `Its parameters are ${allowed.join(', ')}.`
  refuseParameter(name, `This endpoint has no query parameter ${quote(name)}. ${rule}`)
}

const ruleOf = (otherQuery: QueryEntry['otherQuery']) =>
  `Send each ${otherQuery === 'fields' ? 'filter as a parameter of its own, such as email' : 'value as a parameter of its own, such as name'}=VALUE.`

/** A client that writes an object as text would get documents that nobody has filtered. */
function checkValue({ name, value }: QueryPair, { otherQuery }: QueryEntry): void {
  if (value !== '[object Object]') return
  refuseParameter(name, `The value of the query parameter ${quote(name)} is an object. ${ruleOf(otherQuery)}`)
}

/**
 * The account that callers may name is the configured one. Without a configured account, only an endpoint that lists the
 * parameter (interface section 4.2) accepts it.
 */
function checkAccount(pairs: readonly QueryPair[], { query }: QueryEntry, account: string | undefined): void {
  const [given, second] = pairs.filter(({ name }) => name === accountQuery)
  if (second)
    refuseParameter(accountQuery, `The query parameter ${quote(accountQuery)} must not be repeated.`)
  if (!given || given.value === account) return
  if (account !== undefined) {
    refuseParameter(
      accountQuery,
      `The query parameter ${quote(accountQuery)} must be ${quote(account)}, the value of upstream.account in Longshore's configuration.`,
    )
  }
  if (query.includes(accountQuery)) return
  refuseParameter(
    accountQuery,
    `The query parameter ${quote(accountQuery)} names an account, but upstream.account is not set in Longshore's configuration. Omit the parameter, or ask the operator to set upstream.account.`,
  )
}

/** Interface section 4.5: `_size` counts in the first request only, `_token` is in every other request. */
function checkPaging(pairs: readonly QueryPair[]): void {
  const [size, secondSize] = pairs.filter(({ name }) => name === '_size')
  const [token, secondToken] = pairs.filter(({ name }) => name === '_token')
  if (secondSize) refuseParameter('_size', '_size must not be repeated.')
  if (secondToken) refuseParameter('_token', '_token must not be repeated.')
  if (size && !(/^\d+$/.test(size.value) && Number(size.value) >= 1 && Number(size.value) <= 1000))
    refuseParameter('_size', '_size must be an integer from 1 to 1000.')
  const empty = '_token is empty. Send the token of the previous response, or omit it to start a scroll.'
  if (token?.value === '') refuseParameter('_token', empty)
}

const quote = (name: string) => `"${name}"`
