import { platformHeaders } from './headers.ts'

/** Names in lower case. Node joins the values of a repeated header with `, `. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>

/** `REST-Content-Total`: how many documents a scroll has. */
export function readTotal(headers: ResponseHeaders): number | 'not-reported' | 'malformed' {
  if (headers[platformHeaders.total] === undefined) return 'not-reported'
  const text = readHeader(headers, platformHeaders.total)
  return /^\d{1,15}$/.test(text) ? Number(text) : 'malformed'
}

/**
 * The total in `REST-Content-Range`. The interface writes `resources=0-1/3100`; platforms in production use the form of
 * RFC 9110 section 14.4, `resources 0-1/3100`, in which a range without documents is an asterisk.
 */
export function readRangeTotal(headers: ResponseHeaders): number | undefined {
  const text = readHeader(headers, platformHeaders.contentRange)
  const [, total] = /^resources(?:\s*=\s*|\s+)(?:\d+\s*-\s*\d+|\*)\s*\/\s*(\d{1,15})$/i.exec(text) ?? []
  return total === undefined ? undefined : Number(total)
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
 * Milliseconds that `Retry-After` asks for (RFC 9110 section 10.2.3): seconds or an HTTP date. A date in the past is 0;
 * a malformed value is undefined.
 */
export function readRetryAfterMs(headers: ResponseHeaders, now: number): number | undefined {
  const text = readHeader(headers, 'retry-after')
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const date = parseHttpDate(text)
  return date === undefined ? undefined : Math.max(0, date - now)
}

/** When the response was sent by the clock of its sender (RFC 9110 section 6.6.1), in epoch milliseconds. */
export function readDate(headers: ResponseHeaders): number | undefined {
  return parseHttpDate(readHeader(headers, 'date'))
}

/** The three forms of RFC 9110 section 5.6.7, all in UTC. `asctime` does not name the zone. */
const httpDate = /^[A-Z][a-z]{2}(?:[a-z]*day)?, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function parseHttpDate(text: string): number | undefined {
  const inUtc = asctime.test(text) ? `${text} GMT` : text
  const date = httpDate.test(text) || inUtc !== text ? Date.parse(inUtc) : Number.NaN
  return Number.isNaN(date) ? undefined : date
}

/** A value without white space around it. A header that an intermediary repeated with the same value counts once. */
function readHeader(headers: ResponseHeaders, name: string): string {
  const value = headers[name] ?? ''
  const text = (typeof value === 'string' ? value : value.join(', ')).trim()
  const [first = '', ...others] = text.split(/,[ \t]+/)
  return others.every((other) => other === first) ? first : text
}
