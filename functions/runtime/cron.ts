import { dayMs } from './durations.ts'
import { months, weekdays } from './settings-schema/cron-names.ts'

/** Leap days are at most 8 years apart (2096 to 2104), and the first may be 4 years away. */
const horizonDays = 13 * 366

/** When a `cron(…)` expression runs, in local time. */
export interface CronTimes {
  /** Minutes after midnight, ascending. */
  readonly minutesOfDay: readonly number[]
  readonly days: DayFields
}

interface DayFields {
  readonly dayOfMonth: string
  readonly month: string
  readonly dayOfWeek: string
  readonly year: string
}

/** Undefined for a `rate(…)` expression. `expression` must be valid. */
export function readCron(expression: string): CronTimes | undefined {
  const [, cron] = /^cron\((.*)\)$/.exec(expression) ?? []
  if (cron === undefined) return undefined
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = cron
    .toUpperCase()
    .split(' ')
  const minutesOfDay = valuesOf(hours, 0, 23).flatMap((hour) =>
    valuesOf(minutes, 0, 59).map((minute) => hour * 60 + minute),
  )
  return { minutesOfDay, days: { dayOfMonth, month, dayOfWeek, year } }
}

/** The days that match, by default in the coming 13 years, as days since 1970-01-01. */
export function* matchingDays(fields: DayFields, from: number, to = from + horizonDays): Generator<number> {
  const month = withNumbers(fields.month, months)
  const dayOfWeek = withNumbers(fields.dayOfWeek, weekdays)
  for (let day = from; day < to; day++) {
    const date = new Date(day * dayMs)
    const runs =
      matches(fields.year, date.getUTCFullYear(), [1970, 2199]) &&
      matches(month, date.getUTCMonth() + 1, [1, 12]) &&
      (fields.dayOfMonth === '?' || isDayOfMonth(fields.dayOfMonth, date)) &&
      (dayOfWeek === '?' || isDayOfWeek(dayOfWeek, date))
    if (runs) yield day
  }
}

/** Months and weekdays are both numbered from 1. */
const withNumbers = (field: string, names: readonly string[]): string =>
  field.replaceAll(/[A-Z]{3}/g, (name) => String(names.indexOf(name) + 1))

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

const lastDateOf = (day: Date): number =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()

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
