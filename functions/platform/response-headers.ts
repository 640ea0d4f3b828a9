import { platformHeaders } from './headers.ts'

/** Names in lower case. Node joins the values of a repeated header with `, `. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** `REST-Content-Total`: how many documents a scroll has. A value that is no whole number proves nothing. */
export function readTotal(headers: ResponseHeaders): number | 'not-reported' | 'malformed' {
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

/** The number that all of these write, as `25` or `25.0`; undefined if they differ or one is no whole number. */
function wholeNumber(texts: readonly string[]): number | undefined {
  const isWhole = texts.every((text) => /^\d{1,15}(?:\.0+)?$/.test(text))
  const [only, ...others] = new Set(texts.map(Number))
  return isWhole && others.length === 0 ? only : undefined
}

/** How old the response of a cache is, in seconds (RFC 9111 section 5.1); 0 for one that comes from its origin. */
export function readAgeSeconds(headers: ResponseHeaders): number {
  const ages = membersOf(headers, 'age').filter((age) => /^\d+(?:\.\d+)?$/.test(age))
  return Math.max(0, ...ages.map(Number))
}

/** The members of a header that intermediaries may have repeated (RFC 9110 section 5.6.1). */
function membersOf(headers: ResponseHeaders, name: string): string[] {
  const members = [headers[name] ?? ''].flat().flatMap((value) => value.split(','))
  return members.map((member) => member.trim()).filter((member) => member !== '')
}

/** The token of a scroll's next page; undefined if the response has none. */
export function readToken(headers: ResponseHeaders, tokenHeader: string): string | undefined {
  return readHeader(headers, tokenHeader) || undefined
}

/** The media type in lower case and without parameters; empty if the response does not name one. */
export function readMediaType(headers: ResponseHeaders): string {
  return readHeader(headers, 'content-type')
    .replace(/\s*;.*$/s, '')
    .toLowerCase()
}

/** The host that a redirect leads to. The rest of its address may be confidential. */
export function readRedirectHost(headers: ResponseHeaders): string {
  const base = 'http://relative.invalid'
  const target = URL.parse(readHeader(headers, 'location') || 'http://', base)
  if (!target) return 'an unknown address'
  return target.origin === base ? 'the same host' : target.host
}

/**
 * Milliseconds that `Retry-After` asks for (RFC 9110 section 10.2.3): seconds, also with a fraction, or an HTTP date. Of
 * several values the longest counts. A date in the past is 0; a malformed value is undefined.
 */
export function readRetryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const waits = memberTexts(headers, 'retry-after').map((text) => {
    if (/^\d+(?:\.\d+)?$/.test(text)) return Math.min(Math.ceil(Number(text)) * 1000, Number.MAX_SAFE_INTEGER)
    const date = parseHttpDate(text)
    return date === undefined ? undefined : Math.max(0, date - now)
  })
  const known = waits.filter((wait) => wait !== undefined)
  return known.length === waits.length && known.length > 0 ? Math.max(...known) : undefined
}

/** When the response was sent by the clock of its sender (RFC 9110 section 6.6.1), in epoch milliseconds. */
export function readDate(headers: ResponseHeaders): number | undefined {
  const [first, ...others] = memberTexts(headers, 'date').map(parseHttpDate)
  return others.every((other) => other === first) ? first : undefined
}

/** The members of a header that may contain dates, whose comma follows the day of the week. */
function memberTexts(headers: ResponseHeaders, name: string): string[] {
  const values = [headers[name] ?? ''].flat()
  return values.flatMap((value) => value.split(/(?<!\b[A-Z][a-z]+),/)).map((text) => text.trim())
}

/**
 * The three forms of RFC 9110 section 5.6.7, all in UTC, which some servers name otherwise than GMT. `asctime` does not
 * name the zone.
 */
const httpDate =
  /^([A-Z][a-z]{2}(?:[a-z]*day)?, \d{1,2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d) (?:GMT|UTC?|Z|[+-]00:?00)$/
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function parseHttpDate(text: string): number | undefined {
  const [, local] = httpDate.exec(text) ?? []
  const inUtc = local ?? (asctime.test(text) ? text : undefined)
  const date = inUtc === undefined ? Number.NaN : Date.parse(`${inUtc} GMT`)
  return Number.isNaN(date) ? undefined : date
}

/** A value without white space around it. A header that an intermediary repeated with the same value counts once. */
function readHeader(headers: ResponseHeaders, name: string): string {
  const value = headers[name] ?? ''
  const text = (typeof value === 'string' ? value : value.join(', ')).trim()
  const [first = '', ...others] = text.split(/,[ \t]+/)
  return others.every((other) => other === first) ? first : text
}
