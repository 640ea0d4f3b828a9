/** Waits grow from `baseMs` by doubling and never beyond `capMs`. */
export interface Backoff {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * Milliseconds to wait before try number `tries + 1`: full jitter, anything between nothing and the doubled base,
 * so that many callers do not come back together (AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
export function backoffMs(tries: number, { baseMs, capMs }: Backoff, random = Math.random): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.max(0, tries - 1)))
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/**
 * Milliseconds that a `Retry-After` header asks for, in both of its forms (RFC 9110 section 10.2.3): seconds or an
 * HTTP date. A date that has passed is 0; anything else is undefined.
 */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  if (!httpDate.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
