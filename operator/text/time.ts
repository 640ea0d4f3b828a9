import { dayMs, minuteMs } from '../../functions/runtime/durations.ts'
import { epochMicroseconds } from '../../stored/documents/iso-8601.ts'
import { UsageError } from '../errors.ts'
import { nextClockTime } from './clock-time.ts'

const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  min: minuteMs,
  h: 60 * minuteMs,
  d: dayMs,
  w: 7 * dayMs,
}
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const withZone = /:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}(?::?\d{2})?)$/i

/** Reads `30m`, `8h` or `2d` as milliseconds; undefined if it is no duration. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})(m|min|h|d|w)$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0)
}

/**
 * Reads the value of `--at` as epoch milliseconds: a time or date in ISO 8601, a weekday, `yesterday`, `now`, or an age.
 * A date, a weekday and `yesterday` are the end of that day. Everything without a time zone is in UTC. Throws `UsageError`.
 */
export function readTime(text: string, now: number): number {
  const age = parseDuration(text)
  if (age !== undefined) return now - age
  const word = text.toLowerCase()
  if (word === 'now') return now
  if (word === 'yesterday') return Math.floor(now / dayMs) * dayMs - 1
  const weekday = weekdays.indexOf(word)
  if (weekday >= 0) return lastWeekday(weekday, now)
  const time = epochMicroseconds(text)
  const isDay = text.length === 'yyyy-mm-dd'.length
  if (time !== undefined) return Math.floor(time / 1000) + (isDay ? dayMs - 1 : 0)
  throw new UsageError(
    `--at: '${text}' is not a time. Use a time (2026-11-17T14:00Z), a date (2026-11-17), a weekday (tuesday), yesterday, now or an age (3d, 12h, 30m).`,
  )
}

/**
 * Reads the value of `--until` as epoch milliseconds: a duration from now, the next time at which the clock on the wall
 * shows it, or a time in ISO 8601 with a time zone. Throws `UsageError`.
 */
export function readUntil(text: string, now: number): number {
  const until = untilOf(text, now)
  if (until === undefined)
    throw new UsageError(
      `--until: '${text}' is not a time. Use a duration (8h, 2d), the next local time (06:00) or a time with a zone (2026-11-27T06:00Z).`,
    )
  if (until > now) return until
  throw new UsageError(`--until: '${text}' is not in the future.`)
}

/** `27 Nov 2026, 06:00 Europe/Lisbon`: a time of the local clock, with its zone. */
export function localTime(time: number): string {
  const text = new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  return `${text} ${new Intl.DateTimeFormat().resolvedOptions().timeZone}`
}

function untilOf(text: string, now: number): number | undefined {
  const duration = parseDuration(text)
  if (duration !== undefined) return now + duration
  const clockTime = nextClockTime(text, now, 'local')
  if (clockTime !== undefined) return clockTime
  const time = withZone.test(text) ? epochMicroseconds(text) : undefined
  return time === undefined ? undefined : Math.floor(time / 1000)
}

/** The end of the last such day before today. */
function lastWeekday(weekday: number, now: number): number {
  const today = Math.floor(now / dayMs) * dayMs
  const daysAgo = (new Date(now).getUTCDay() - weekday + 7) % 7 || 7
  return today - (daysAgo - 1) * dayMs - 1
}
