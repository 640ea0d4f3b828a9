import { type CronTimes, matchingDays, readCron } from './cron.ts'
import { dayMs } from './durations.ts'

const unitSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** The interval of a `rate(…)` expression; undefined for a `cron(…)` expression. */
export function rateSeconds(expression: string): number | undefined {
  const [, value, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  return value && unit ? Number(value) * unitSeconds[unit as keyof typeof unitSeconds] : undefined
}

/** Whether a schedule names days that exist in no year, such as 31 February. `expression` must be valid. */
export function isImpossible(expression: string): boolean {
  const cron = readCron(expression)
  if (!cron) return false
  const everyYear = { ...cron.days, year: '*' }
  return matchingDays(everyYear, Math.floor(Date.now() / dayMs)).next().done === true
}

/** The last year of a schedule is 2199. */
const endOfSchedules = Date.UTC(2200, 0) / dayMs

/** Whether every day of a schedule has passed, in each time zone. `expression` must be valid. */
export function hasPassed(expression: string, from = Date.now()): boolean {
  const cron = readCron(expression)
  if (!cron) return false
  return matchingDays(cron.days, Math.floor(from / dayMs) - 1, endOfSchedules).next().done === true
}

/**
 * The longest time between two runs of a schedule in the coming years, in seconds; undefined if it does not run twice.
 * `expression` must be valid. Times are local times: changes to and from summer time are ignored.
 */
export function maxGapSeconds(expression: string, from = Date.now()): number | undefined {
  const cron = readCron(expression)
  return cron === undefined ? rateSeconds(expression) : maxCronGapSeconds(cron, from)
}

/**
 * How old the result of the last run may be: twice the longest time between two runs, since one run may fail. Undefined
 * if the schedule does not run twice: then no age is too old.
 */
export function maxAgeSeconds(expression: string, now: number): number | undefined {
  const gapSeconds = maxGapSeconds(expression, now)
  return gapSeconds === undefined ? undefined : 2 * gapSeconds
}

/** How often a schedule runs in this many days, on average over the coming year. `expression` must be valid. */
export function runsWithin(expression: string, days: number): number {
  const cron = readCron(expression)
  if (!cron) return Math.floor((days * unitSeconds.day) / (rateSeconds(expression) as number))
  const today = Math.floor(Date.now() / dayMs)
  let daysOfYear = 0
  for (const day of matchingDays(cron.days, today)) {
    if (day >= today + weeksOfYear * 7) break
    daysOfYear++
  }
  return Math.floor((cron.minutesOfDay.length * daysOfYear * days) / (weeksOfYear * 7))
}

const weeksOfYear = 52

function maxCronGapSeconds({ minutesOfDay, days }: CronTimes, from: number): number | undefined {
  const first = minutesOfDay[0]
  const last = minutesOfDay.at(-1)
  if (first === undefined || last === undefined) return undefined
  const withinDay = minutesOfDay.slice(1).map((time, index) => time - (minutesOfDay[index] as number))

  const gapDays = maxGapDays(days, Math.floor(from / dayMs))
  const overNight = gapDays === undefined ? 0 : gapDays * 24 * 60 + first - last
  return Math.max(overNight, ...withinDay) * 60 || undefined
}

type DayFields = CronTimes['days']

/** Hundreds of entities share a handful of day rules. */
const knownGaps = new Map<string, number | undefined>()

/** Undefined if fewer than two days match. */
function maxGapDays(fields: DayFields, today: number): number | undefined {
  const key = JSON.stringify([fields, today])
  if (!knownGaps.has(key)) knownGaps.set(key, searchMaxGapDays(fields, today))
  return knownGaps.get(key)
}

function searchMaxGapDays(fields: DayFields, today: number): number | undefined {
  let maxGap: number | undefined
  let previous: number | undefined
  for (const day of matchingDays(fields, today)) {
    if (previous !== undefined) maxGap = Math.max(maxGap ?? 0, day - previous)
    previous = day
  }
  return maxGap
}

const minWindowAgeSeconds = 30 * 60

/** How old the last window of increments may be: three of them may fail. Undefined if the schedule does not run twice. */
export function maxWindowAgeSeconds(schedule: string, now: number): number | undefined {
  const gapSeconds = maxGapSeconds(schedule, now)
  return gapSeconds === undefined ? undefined : Math.max(minWindowAgeSeconds, 3 * gapSeconds)
}
