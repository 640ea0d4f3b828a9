import { epochMicroseconds } from '../../functions/documents/iso-8601.ts'
import { UsageError } from '../../operator/errors.ts'

const dayMs = 24 * 60 * 60 * 1000
const unitsMs: Readonly<Record<string, number>> = { min: 60_000, h: 60 * 60 * 1000, d: dayMs, w: 7 * dayMs }
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Reads the value of `--at` as epoch milliseconds: a time or date in ISO 8601, a weekday, or an age. A date or weekday is
 * the end of that day. Everything without a time zone is in UTC. Throws `UsageError`.
 */
export function readTime(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,5})(min|h|d|w)$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (unitsMs[unit] ?? 0)
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
