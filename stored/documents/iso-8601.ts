const secondsOfDay = 86_400
/** 0001-01-01 and 9999-12-31 in seconds since 1970. */
const firstSecond = -719_162 * secondsOfDay
const lastSecond = 2_932_897 * secondsOfDay - 1

const pattern =
  /^(?!0000)(\d{4}-(?:0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/

export interface IsoTime {
  /** Since 1970 in UTC. */
  readonly seconds: number
  /** Further digits are cut. */
  readonly microseconds: number
}

/**
 * The one reader of the dates of documents. It reads an ISO 8601 date or timestamp: `2026-07-17`, or with `T`, `t` or a
 * space and hours and minutes, optionally seconds with up to nine fractional digits, and `Z`, `z` or an offset. Without
 * them it is UTC. Refuses white space around it, dates that do not exist, years outside 0001 to 9999 (as written or in
 * UTC), and second 60, which a count of seconds since 1970 cannot represent.
 */
export function isoTime(text: string): IsoTime | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, date = '', day = '', hour = 0, minute = 0, second = 0, fraction = ''] = match
  const [sign, offsetHours = 0, offsetMinutes = 0] = match.slice(7)
  const midnight = Date.parse(date)
  // It takes the 30th of February for a day of March.
  if (Number(day) > 28 && new Date(midnight).getUTCDate() !== Number(day)) return undefined
  const local = midnight / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes) * 60
  const seconds = sign === '-' ? local + offset : local - offset
  if (seconds < firstSecond || seconds > lastSecond) return undefined
  return { seconds, microseconds: Number(fraction.slice(0, 6).padEnd(6, '0')) }
}

/** Microseconds since 1970 of a date or timestamp, exact from the year 1685 to 2254; undefined if the text is none. */
export function epochMicroseconds(text: string): number | undefined {
  const time = isoTime(text)
  return time && time.seconds * 1_000_000 + time.microseconds
}
