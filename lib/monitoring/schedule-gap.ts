import { months, weekdays } from '../../functions/runtime/settings-schema/schedule.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const unitSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** Leap days lie 8 years apart at most (2096 to 2104), and the first may be 4 years away. */
const horizonDays = 13 * 366

/**
 * The longest time between two runs of a schedule, in seconds, within the years to come; undefined if it does not run
 * twice. `expression` must be one in which `findScheduleMistake` finds nothing. Local time counts as it stands: an hour
 * of summer time is little beside a limit of twice the gap.
 */
export function maxGapSeconds(expression: string, from = Date.now()): number | undefined {
  const [, kind, inside = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? []
  return kind === 'rate' ? rateSeconds(inside) : maxCronGapSeconds(inside, from)
}

function rateSeconds(inside: string): number {
  const [, value, unit] = /^(\d+) (minute|hour|day)/.exec(inside) ?? []
  return Number(value) * unitSeconds[unit as keyof typeof unitSeconds]
}

function maxCronGapSeconds(inside: string, from: number): number | undefined {
  const [minutes = '', hours = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = inside
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

interface Days {
  readonly dayOfMonth: string
  readonly month: string
  readonly dayOfWeek: string
  readonly year: string
}

/** Hundreds of entities have a handful of rules for the day. */
const known = new Map<string, number | undefined>()

/** Undefined if there are not two such days. */
function maxGapDays(days: Days, today: number): number | undefined {
  const key = JSON.stringify([days, today])
  if (!known.has(key)) known.set(key, searchGap(days, today))
  return known.get(key)
}

function searchGap({ dayOfMonth, month, dayOfWeek, year }: Days, today: number): number | undefined {
  const runsOn = (day: Date) =>
    matches(year, day.getUTCFullYear(), [1970, 2199]) &&
    matches(named(month, months), day.getUTCMonth() + 1, [1, 12]) &&
    (dayOfMonth === '?' || isDayOfMonth(dayOfMonth, day)) &&
    (dayOfWeek === '?' || isDayOfWeek(named(dayOfWeek, weekdays), day))
  let longest: number | undefined
  let before: number | undefined
  for (let day = today; day < today + horizonDays; day++) {
    if (!runsOn(new Date(day * dayMs))) continue
    if (before !== undefined) longest = Math.max(longest ?? 0, day - before)
    before = day
  }
  return longest
}

/** Both count their names from 1. */
function named(field: string, names: readonly string[]): string {
  return field.replaceAll(/[A-Z]{3}/g, (name) => String(names.indexOf(name) + 1))
}

/** The days of EventBridge Scheduler's user guide, «Cron-based schedules»: L, L-3, LW, 15W, or numbers. */
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

/** The weekday that is nearest to a date and in the same month. */
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
    const within = first <= last ? value >= first && value <= last : value >= first || value <= last
    if (!within) return false
    const offset = value >= first ? value - first : value + (to - from + 1) - first
    return offset % Number(step ?? 1) === 0
  })
}

function valuesOf(field: string, from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((value) =>
    matches(field, value, [from, to]),
  )
}
