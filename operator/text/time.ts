import { epochMicroseconds } from '../../functions/documents/iso-8601.ts'
import { UsageError } from '../errors.ts'

const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60_000
const unitsMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  min: minuteMs,
  h: 60 * minuteMs,
  d: dayMs,
  w: 7 * dayMs,
}
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Reads `30m`, `8h` or `2d` as milliseconds; undefined if it is no duration. */
function durationMs(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})(m|min|h|d|w)$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unitsMs[unit] ?? 0)
}

/**
 * Reads the value of `--at` as epoch milliseconds: a time or date in ISO 8601, a weekday, or an age. A date or weekday is
 * the end of that day. Everything without a time zone is in UTC. Throws `UsageError`.
 */
export function readTime(text: string, now: number): number {
  const age = durationMs(text)
  if (age !== undefined) return now - age
  const weekday = weekdays.indexOf(text.toLowerCase())
  if (weekday >= 0) return lastWeekday(weekday, now)
  const time = epochMicroseconds(text)
  const isDay = text.length === 'yyyy-mm-dd'.length
  if (time !== undefined) return Math.floor(time / 1000) + (isDay ? dayMs - 1 : 0)
  throw new UsageError(
    `--at: '${text}' is not a time. Use a time (2026-11-17T14:00Z), a date (2026-11-17), a weekday (tuesday) or an age (3d, 12h).`,
  )
}

/** The end of the last such day before today. */
function lastWeekday(weekday: number, now: number): number {
  const today = Math.floor(now / dayMs) * dayMs
  const daysAgo = (new Date(now).getUTCDay() - weekday + 7) % 7 || 7
  return today - (daysAgo - 1) * dayMs - 1
}
