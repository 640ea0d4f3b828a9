import { months, weekdays } from './settings-schema/cron-names.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const unitSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** Leap days are at most 8 years apart (2096 to 2104), and the first may be 4 years away. */
const horizonDays = 13 * 366

/** The interval of a `rate(…)` expression; undefined for a `cron(…)` expression. */
export function rateSeconds(expression: string): number | undefined {
  const [, value, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  return value && unit ? Number(value) * unitSeconds[unit as keyof typeof unitSeconds] : undefined
}

/**
 * The longest time between two runs of a schedule in the coming years, in seconds; undefined if it does not run twice.
 * `expression` must be valid. Times are local times: changes to and from summer time are ignored.
 */
export function maxGapSeconds(expression: string, from = Date.now()): number | undefined {
  const [, cron] = /^cron\((.*)\)$/.exec(expression) ?? []
  return cron === undefined ? rateSeconds(expression) : maxCronGapSeconds(cron, from)
}

function maxCronGapSeconds(cron: string, from: number): number | undefined {
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = cron
    .toUpperCase()
    .split(' ')
  const times = valuesOf(hours, 0, 23).flatMap((hour) =>
    valuesOf(minutes, 0, 59).map((minute) => hour * 60 + minute),
  )
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined) return undefined
  const withinDay = times.slice(1).map((time, index) => time - (times[index] as number))

  const days = maxGapDays({ dayOfMonth, month, dayOfWeek, year }, Math.floor(from / dayMs))
  const overNight = days === undefined ? 0 : days * 24 * 60 + first - last
  return Math.max(overNight, ...withinDay) * 60 || undefined
}

interface DayFields {
  readonly dayOfMonth: string
  readonly month: string
  readonly dayOfWeek: string
  readonly year: string
}

/** Hundreds of entities share a handful of day rules. */
const knownGaps = new Map<string, number | undefined>()

/** Undefined if fewer than two days match. */
function maxGapDays(fields: DayFields, today: number): number | undefined {
  const key = JSON.stringify([fields, today])
  if (!knownGaps.has(key)) knownGaps.set(key, searchMaxGapDays(fields, today))
  return knownGaps.get(key)
}

function searchMaxGapDays(
  { dayOfMonth, month, dayOfWeek, year }: DayFields,
  today: number,
): number | undefined {
  const runsOn = (day: Date) =>
    matches(year, day.getUTCFullYear(), [1970, 2199]) &&
    matches(withNumbers(month, months), day.getUTCMonth() + 1, [1, 12]) &&
    (dayOfMonth === '?' || isDayOfMonth(dayOfMonth, day)) &&
    (dayOfWeek === '?' || isDayOfWeek(withNumbers(dayOfWeek, weekdays), day))
  let maxGap: number | undefined
  let previous: number | undefined
  for (let day = today; day < today + horizonDays; day++) {
    if (!runsOn(new Date(day * dayMs))) continue
    if (previous !== undefined) maxGap = Math.max(maxGap ?? 0, day - previous)
    previous = day
  }
  return maxGap
}

/** Months and weekdays are both numbered from 1. */
function withNumbers(field: string, names: readonly string[]): string {
  return field.replaceAll(/[A-Z]{3}/g, (name) => String(names.indexOf(name) + 1))
}

/** L, L-3, LW, 15W or numbers (EventBridge Scheduler user guide, "Cron-based schedules"). */
function isDayOfMonth(field: string, day: Date): boolean {
  const date = day.getUTCDate()
  const lastDate = lastDateOf(day)
  if (field === 'L') return date === lastDate
  if (field === 'LW') return date === nearestWeekday(day, lastDate)
  const [, beforeLast] = /^L-(\d+)$/.exec(field) ?? []
  if (beforeLast) return date === lastDate - Number(beforeLast)
  const [, near] = /^(\d+)W$/.exec(field) ?? []
  if (near) return Number(near) <= lastDate && date === nearestWeekday(day, Number(near))
  return matches(field, date, [1, 31])
}

/** 1 is Sunday. `L` is Saturday, `6L` the last Friday of the month, `6#2` the second. */
function isDayOfWeek(field: string, day: Date): boolean {
  const weekday = day.getUTCDay() + 1
  const date = day.getUTCDate()
  if (field === 'L') return weekday === 7
  const [, last] = /^(\d)L$/.exec(field) ?? []
  if (last) return weekday === Number(last) && date + 7 > lastDateOf(day)
  const [, which, count] = /^(\d)#(\d)$/.exec(field) ?? []
  if (which) return weekday === Number(which) && Math.ceil(date / 7) === Number(count)
  return matches(field, weekday, [1, 7])
}

function lastDateOf(day: Date): number {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
}

/** The weekday nearest to a date, within the same month. */
function nearestWeekday(day: Date, date: number): number {
  const weekday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), date)).getUTCDay()
  if (weekday === 6) return date === 1 ? 3 : date - 1
  if (weekday === 0) return date === lastDateOf(day) ? date - 2 : date + 1
  return date
}

function matches(field: string, value: number, [from, to]: readonly [number, number]): boolean {
  return field.split(',').some((item) => {
    const [range = '', step] = item.split('/')
    const [start = '', end] = range === '*' ? [String(from), String(to)] : range.split('-')
    const first = Number(start)
    const last = end === undefined ? (step === undefined ? first : to) : Number(end)
    const isInRange = first <= last ? value >= first && value <= last : value >= first || value <= last
    if (!isInRange) return false
    const offset = value >= first ? value - first : value + (to - from + 1) - first
    return offset % Number(step ?? 1) === 0
  })
}

function valuesOf(field: string, from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((value) =>
    matches(field, value, [from, to]),
  )
}
