import { matchingDays, readCron } from './cron.ts'
import { dayMs, minuteMs } from './durations.ts'
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
 * The instant at which clocks in the time zone show `local`, which is given as if it were UTC. Undefined in the hour
 * that is skipped in spring; the first one in the hour that is repeated in autumn, because a schedule runs only once
 * then (EventBridge Scheduler user guide, "Daylight saving time").
 */
function instantOf(local: number, timezone: string): number | undefined {
  const candidates = [local - dayMs, local + dayMs].map((near) => local - offsetMs(near, timezone))
  const instants = candidates.filter((instant) => instant + offsetMs(instant, timezone) === local)
  return instants.length === 0 ? undefined : Math.min(...instants)
}

/** How far the clocks of the time zone are ahead of UTC. */
function offsetMs(instant: number, timezone: string): number {
  if (timezone === 'UTC') return 0
  const parts = formatterOf(timezone).formatToParts(instant)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.map((field) =>
    Number(parts.find(({ type }) => type === field)?.value),
  )
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
}

const fields = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const options = Object.fromEntries(fields.map((field) => [field, 'numeric']))
  const created = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...options })
  formatters.set(timeZone, created)
  return created
}
