import { matchingDays, readCron } from './cron.ts'
import { dayMs, minuteMs } from './durations.ts'
import { instantOf, skippedTimes } from './local-time.ts'
import { rateSeconds } from './schedule-gap.ts'

/** A schedule of EventBridge Scheduler. `expression` and `timezone` must be valid. */
export interface Schedule {
  readonly expression: string
  readonly timezone: string
  /** Epoch milliseconds. The intervals of a rate are counted from here. */
  readonly startsAt: number
}

/**
 * When the schedule starts its next run, in epoch milliseconds; undefined if it does not run again. A rate with a
 * flexible time window may start up to an hour later.
 */
export function nextRun(schedule: Schedule, now: number): number | undefined {
  const seconds = rateSeconds(schedule.expression)
  return seconds === undefined ? nextCronRun(schedule, now) : nextRateRun(schedule, seconds * 1000, now)
}

function nextRateRun({ startsAt }: Schedule, intervalMs: number, now: number): number {
  const passed = Math.max(0, Math.floor((now - startsAt) / intervalMs) + 1)
  return startsAt + passed * intervalMs
}

function nextCronRun({ expression, timezone, startsAt }: Schedule, now: number): number | undefined {
  const cron = readCron(expression)
  if (!cron) return undefined
  const after = Math.max(now, startsAt)
  // No time zone is further than a day from UTC.
  const firstDay = Math.floor(after / dayMs) - 1
  for (const day of matchingDays(cron.days, firstDay)) {
    for (const minute of cron.minutesOfDay) {
      const time = instantOf(day * dayMs + minute * minuteMs, timezone)
      if (time !== undefined && time > after) return time
    }
  }
  return undefined
}

/**
 * The local time, as if it were UTC, of the next run in the coming year that a schedule leaves out because clocks skip it
 * (EventBridge Scheduler user guide, "Daylight saving time"). Undefined if there is none, or if the next run comes within
 * the time that is skipped, as that of an hourly schedule does.
 */
export function skippedRun(
  { expression, timezone }: Pick<Schedule, 'expression' | 'timezone'>,
  now: number,
): number | undefined {
  const cron = readCron(expression)
  if (!cron) return undefined
  for (const { from, until, at } of skippedTimes(timezone, now)) {
    const days = [...matchingDays(cron.days, Math.floor(from / dayMs), Math.ceil(until / dayMs))]
    const times = days.flatMap((day) => cron.minutesOfDay.map((minute) => day * dayMs + minute * minuteMs))
    const skipped = times.findLast((time) => time >= from && time < until)
    if (skipped === undefined) continue
    const next = nextRun({ expression, timezone, startsAt: at - 1 }, at - 1)
    if (next === undefined || next - (at + skipped - from) > until - from) return skipped
  }
  return undefined
}
