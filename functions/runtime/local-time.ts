import { dayMs } from './durations.ts'

/**
 * The instant at which clocks in the time zone show `local`, which is given as if it were UTC. Undefined in the hour
 * that is skipped in spring; the first one in the hour that is repeated in autumn, because a schedule runs only once
 * then (EventBridge Scheduler user guide, "Daylight saving time").
 */
export function instantOf(local: number, timezone: string): number | undefined {
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

const daysOfYear = 366

/** An hour, or less, that clocks skip: the local times from `from` until `until`, as if they were UTC. */
export interface SkippedTime {
  readonly from: number
  readonly until: number
  /** When clocks skip it, in epoch milliseconds. */
  readonly at: number
}

/** Hundreds of entities share a time zone. */
const knownTimes = new Map<string, readonly SkippedTime[]>()

/** What clocks in the time zone skip in the coming year, today included. */
export function skippedTimes(timezone: string, now: number): readonly SkippedTime[] {
  const today = Math.floor(now / dayMs)
  const key = `${timezone} ${today}`
  const times = knownTimes.get(key) ?? searchSkippedTimes(timezone, today)
  knownTimes.set(key, times)
  return times
}

function searchSkippedTimes(timezone: string, today: number): SkippedTime[] {
  const days = Array.from({ length: daysOfYear }, (_, day) => (today + day) * dayMs)
  return days.flatMap((day) => {
    const [before, after] = [offsetMs(day, timezone), offsetMs(day + dayMs, timezone)]
    if (after <= before) return []
    let [earlier, at] = [day, day + dayMs]
    while (at - earlier > 1) {
      const middle = Math.floor((earlier + at) / 2)
      if (offsetMs(middle, timezone) === before) earlier = middle
      else at = middle
    }
    return [{ from: at + before, until: at + after, at }]
  })
}
