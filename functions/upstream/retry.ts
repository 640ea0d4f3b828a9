/** Waits start at `baseMs`, double with each try and never exceed `capMs`. */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * Milliseconds to wait after `tries` failed tries, with full jitter (AWS Architecture Blog, "Exponential Backoff And
 * Jitter"), so that many clients do not retry at the same time.
 */
export function backoffMs(tries: number, { baseMs, capMs }: Backoff, random = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.min(30, Math.max(0, tries - 1))))
}

/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110 section 10.2.3): seconds or an HTTP date. A date in the
 * past is 0; a malformed value is undefined.
 */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const date = parseHttpDate(text)
  return date === undefined ? undefined : Math.max(0, date - now)
}

/** The three forms of RFC 9110 section 5.6.7, all in UTC. `asctime` does not name the zone. */
const httpDate = /^[A-Z][a-z]{2}(?:[a-z]*day)?, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

function parseHttpDate(text: string): number | undefined {
  const inUtc = asctime.test(text) ? `${text} GMT` : text
  const date = httpDate.test(text) || inUtc !== text ? Date.parse(inUtc) : Number.NaN
  return Number.isNaN(date) ? undefined : date
}
