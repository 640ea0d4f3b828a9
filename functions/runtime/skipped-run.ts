import { matchingDays, readCron } from './cron.ts'
import { dayMs, minuteMs } from './durations.ts'
import { skippedTimes } from './local-time.ts'
import { nextRun, type Schedule } from './next-run.ts'

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
