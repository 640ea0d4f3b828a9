import { months, weekdays } from './cron-names.ts'
import { describeValue } from './schema-parts.ts'

/**
 * What is wrong with a schedule's expression: `rate(value unit)` or
 * `cron(minutes hours day-of-month month day-of-week year)` (EventBridge Scheduler user guide, "Schedule types").
 */
export function findScheduleError(expression: string): string | undefined {
  const [, kind, inside = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? []
  if (!kind) return `${describeValue(expression)} is neither rate(…) nor cron(…)`
  const error = kind === 'rate' ? findRateError(inside) : findCronError(inside)
  return error && `${describeValue(expression)} ${error}`
}

function findRateError(inside: string): string | undefined {
  const [, value, unit, plural] = /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(inside) ?? []
  if (!value) return 'is not a rate; use minutes, hours or days, such as rate(6 hours)'
  if (value === '1' && plural) return `must be written rate(1 ${unit})`
  if (value !== '1' && !plural) return `must be written rate(${value} ${unit}s)`
  const max = maxRate[unit as keyof typeof maxRate]
  return Number(value) > max ? `is longer than a year; use at most rate(${max} ${unit}s)` : undefined
}

/** A year. Ages of snapshots and the times of next runs are calculated with it. */
const maxRate = { minute: 525_600, hour: 8_760, day: 365 } as const

interface CronField {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Names for the numbers from `from` on. */
  readonly names?: readonly string[]
  /** What this field accepts in addition to values, ranges, lists and steps. */
  readonly special?: RegExp
}

const day = '(?:[1-9]|[12]\\d|3[01])'

const cronFields: readonly CronField[] = [
  { name: 'minutes', from: 0, to: 59 },
  { name: 'hours', from: 0, to: 23 },
  { name: 'day-of-month', from: 1, to: 31, special: new RegExp(`^(?:\\?|L|L-${day}|LW|${day}W)$`) },
  { name: 'month', from: 1, to: 12, names: months },
  { name: 'day-of-week', from: 1, to: 7, names: weekdays, special: /^(?:\?|L|[1-7]L|[1-7]#[1-5])$/ },
  { name: 'year', from: 1970, to: 2199 },
]

function findCronError(inside: string): string | undefined {
  const parts = inside.split(' ')
  if (parts.length !== cronFields.length || parts.includes('')) {
    const form = cronFields.map(({ name }) => name).join(' ')
    return `must have six fields separated by single spaces: cron(${form})`
  }
  for (const [index, field] of cronFields.entries()) {
    const part = parts[index] as string
    if (!isValidField(part, field))
      return `has '${part}' in ${field.name}, which must be ${field.from} to ${field.to}, *, a range, a list or a step`
  }
  if ((parts[2] === '?') === (parts[4] === '?'))
    return 'must have ? in either day-of-month or day-of-week, but not both'
  return undefined
}

function isValidField(part: string, field: CronField): boolean {
  if (field.special?.test(withNumber(part, field))) return true
  return part.split(',').every((item) => {
    const [range = '', step, ...more] = item.split('/')
    if (more.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step))) return false
    if (range === '*') return true
    const ends = range.split('-').map((end) => numberOf(end, field))
    return ends.length <= 2 && ends.every((end) => end >= field.from && end <= field.to)
  })
}

/** `FRI#2` and `FRIL` as `6#2` and `6L`. */
const withNumber = (item: string, field: CronField): string =>
  item.toUpperCase().replace(/^[A-Z]{3}(?=L$|#)/, (name) => String(numberOf(name, field)))

function numberOf(value: string, { from, names }: CronField): number {
  const index = names?.indexOf(value.toUpperCase()) ?? -1
  if (index >= 0) return from + index
  return /^\d+$/.test(value) ? Number(value) : Number.NaN
}
