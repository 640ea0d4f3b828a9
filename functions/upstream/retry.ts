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
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** Math.min(30, Math.max(0, tries - 1))))
}

/**
 * Milliseconds that a `Retry-After` header asks for, in both of its forms (RFC 9110 section 10.2.3): seconds or an
 * HTTP date. A date that has passed is 0; anything else is undefined.
 */
export function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const date = parseHttpDate(text, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`

/** The three forms that recipients must understand (RFC 9110 section 5.6.7); all of them are in UTC. */
const httpDates = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${time} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]+day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${time} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${time} (?<year>\d{4})$`),
]

/** Epoch milliseconds of an HTTP date; undefined for what is none, such as the 31st of February. */
function parseHttpDate(text: string, now: number): number | undefined {
  const parts = httpDates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!parts) return undefined
  const { day, month, year, hour, minute, second } = parts
  const monthIndex = months.indexOf(month ?? '')
  const fullYear = year?.length === 2 ? yearOfTwoDigits(Number(year), now) : Number(year)
  const date = new Date(
    Date.UTC(fullYear, monthIndex, Number(day), Number(hour), Number(minute), Number(second)),
  )
  return monthIndex >= 0 && date.getUTCDate() === Number(day) ? date.getTime() : undefined
}

/** One that seems more than 50 years away is the last with these digits (RFC 9110 section 5.6.7). */
function yearOfTwoDigits(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + digits
  return year > thisYear + 50 ? year - 100 : year
}
