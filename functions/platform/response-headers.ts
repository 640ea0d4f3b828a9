import { platformHeaders } from './headers.ts'

/** Names in lower case. Node joins the values of a repeated header with `, `. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** `REST-Content-Total`: how many documents a scroll has. A value that is no whole number proves nothing. */
export function totalIn(headers: ResponseHeaders): number | 'not-reported' | 'malformed' {
  if (headers[platformHeaders.total] === undefined) return 'not-reported'
  return wholeNumber(membersOf(headers, platformHeaders.total)) ?? 'malformed'
}

/**
 * The total in `REST-Content-Range`. The interface writes `resources=0-1/3100`; platforms in production use the form of
 * RFC 9110 section 14.4, `resources 0-1/3100`, in which a range without documents is an asterisk.
 */
export function readRangeTotal(headers: ResponseHeaders): number | undefined {
  const totals = membersOf(headers, platformHeaders.contentRange).map((member) => {
    const [, total] = /^resources(?:\s*=\s*|\s+)(?:\d+\s*-\s*\d+|\*)\s*\/\s*(.*)$/i.exec(member) ?? []
    return total ?? ''
  })
  return wholeNumber(totals)
}

/**
 * The number that all of these write, as `25`, `25.0` or `+25`; undefined if they differ or one is no whole number. A
 * larger one than JavaScript can count to, such as 2^63-1, is the largest that it can.
 */
function wholeNumber(texts: readonly string[]): number | undefined {
  const isWhole = texts.every((text) => /^\+?\d+(?:\.0+)?$/.test(text))
  const [only, ...others] = new Set(texts.map((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)))
  return isWhole && others.length === 0 ? only : undefined
}

/** How old the response of a cache is, in seconds (RFC 9111 section 5.1); 0 for one that comes from its origin. */
export function readAgeSeconds(headers: ResponseHeaders): number {
  const ages = membersOf(headers, 'age').filter((age) => /^\d+(?:\.\d+)?$/.test(age))
  return Math.max(0, ...ages.map(Number))
}

/** `X-RateLimit-Remaining` and names like it, such as `X-RateLimit-Remaining-Minute` and `X-Quota-Left`. */
const remainingHeader = /^(?=.*(?:limit|quota|throttle|rate|requests|calls)).*(?:remain|left|avail)/

const allUsed = /limit.*=(\d+)\/\1$/

/** Whether no more requests are accepted now: a limit of `0`, one used as `40/40`, or `r=0` in the IETF's `RateLimit`. */
export function hasNoRequestsLeft(headers: ResponseHeaders): boolean {
  const hasNone = (name: string, left: string) =>
    remainingHeader.test(name) ? Number.parseFloat(left) === 0 : allUsed.test(`${name}=${left}`)
  const policies = String(headers['ratelimit'] ?? '')
  return (
    Object.keys(headers).some((name) => membersOf(headers, name).some((left) => hasNone(name, left))) ||
    /(?:^|[\s,;])r(?:emaining)?\s*=\s*0+(?:\.0+)?\s*(?:[,;]|$)/i.test(policies)
  )
}

/** The members of a header that intermediaries may have repeated (RFC 9110 section 5.6.1). */
function membersOf(headers: ResponseHeaders, name: string): string[] {
  const members = [headers[name] ?? ''].flat().flatMap((value) => value.split(','))
  return members.map((member) => member.trim()).filter((member) => member !== '')
}

/** The token of a scroll's next page; undefined if the response has none. */
export const readToken = (headers: ResponseHeaders, tokenHeader: string): string | undefined =>
  readHeader(headers, tokenHeader) || undefined

/** The media type in lower case and without parameters; empty if the response does not name one. */
export const readMediaType = (headers: ResponseHeaders): string =>
  (readHeader(headers, 'content-type').split(';')[0] ?? '').trimEnd().toLowerCase()

/** The host that a redirect leads to. The rest of its address may be confidential. */
export function readRedirectHost(headers: ResponseHeaders): string {
  const base = 'http://relative.invalid'
  const target = URL.parse(readHeader(headers, 'location') || 'http://', base)
  if (!target) return 'an unknown address'
  return target.origin === base ? 'the same host' : target.host
}

/**
 * Milliseconds that `Retry-After` asks for (RFC 9110 section 10.2.3): seconds, also with a fraction or their unit, a
 * date, or a time since 1970. A time is counted from the `Date` of the response, or else from `now`. Of several values
 * the longest counts. A time in the past and a negative number are 0; a malformed value is undefined.
 */
export function readRetryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const sentAt = readDate(headers) ?? now
  const waits = memberTexts(headers, 'retry-after').map((text) => {
    const waitMs = /^-?\d+(?:\.\d+)?(?:\s*s(?:ec(?:ond)?s?)?)?$/i.test(text)
      ? waitOfNumber(Number.parseFloat(text), sentAt)
      : (parseDate(text) ?? Number.NaN) - sentAt
    return Math.min(Math.max(0, waitMs), Number.MAX_SAFE_INTEGER)
  })
  const longest = Math.max(...waits)
  return waits.length === 0 || Number.isNaN(longest) ? undefined : longest
}

/** No platform asks to wait for 30 years: a larger number is a time since 1970, in seconds or a smaller unit. */
function waitOfNumber(number: number, sentAt: number): number {
  const unit = [1e18, 1e15, 1e12, 1e9].find((size) => number > size)
  return unit === undefined ? Math.ceil(number) * 1000 : Math.ceil((number / unit) * 1e12) - sentAt
}

/** When the response was sent by the clock of its sender (RFC 9110 section 6.6.1), in epoch milliseconds. */
export function readDate(headers: ResponseHeaders): number | undefined {
  const [first, ...others] = memberTexts(headers, 'date').map(parseDate)
  return others.every((other) => other === first) ? first : undefined
}

/** The members of a header that may contain dates, whose comma follows the day of the week. */
function memberTexts(headers: ResponseHeaders, name: string): string[] {
  const values = [headers[name] ?? ''].flat()
  return values
    .flatMap((value) => value.split(/(?<!\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*),/i))
    .map((text) => text.trim())
}

/**
 * ISO 8601, the three forms of RFC 9110 section 5.6.7, and that of mail, in any letters. `asctime` ends with the year and
 * is in UTC. Others without a zone may be in local time.
 */
const date =
  /^(?:[a-z]{3,9},? |\d{4}-|\d{1,2} [a-z]{3} ).{1,30}:\d\d.{0,30}(?:[a-z]|[+-]\d\d:?\d\d|(?<year> \d{4}))$/i

function parseDate(text: string): number | undefined {
  const found = date.exec(text)
  const milliseconds = Date.parse(found?.groups?.['year'] ? `${text} UTC` : (found?.[0] ?? ''))
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** A value without white space around it. A header that an intermediary repeated with the same value counts once. */
function readHeader(headers: ResponseHeaders, name: string): string {
  const value = headers[name] ?? ''
  const text = (typeof value === 'string' ? value : value.join(', ')).trim()
  const [first = '', ...others] = text.split(/,[ \t]+/)
  return others.every((other) => other === first) ? first : text
}
