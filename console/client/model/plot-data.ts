import { formatCount, formatDuration, formatTime } from './format.ts'
import { type Scale, scaleOf, secondSteps, wholeSteps } from './scale.ts'
import type { Tone } from './tones.ts'

/** Something that happened without a value, such as a run that was refused. */
export interface Mark {
  /** Epoch seconds. */
  readonly time: number
  readonly text: string
  readonly tone: Extract<Tone, 'warning' | 'problem'>
}

/** Values over time. */
export interface PlotData {
  readonly title: string
  readonly unit: Unit
  /** Epoch seconds, ascending. */
  readonly times: readonly number[]
  /** One at each of these times. */
  readonly values: readonly number[]
  readonly marks: readonly Mark[]
  /** A horizontal line, such as the median. */
  readonly reference: { readonly label: string; readonly value: number } | undefined
}

export type Unit = 'count' | 'duration'

/** Durations are in seconds. */
export const unitFormats: Readonly<Record<Unit, (value: number) => string>> = {
  count: formatCount,
  duration: (value) => (value === 0 ? '0 s' : formatDuration(value * 1000)),
}

/** Half of what is shown around a single time. */
const padSeconds = 1_800

/** The range of the horizontal axis. */
export function timeRange(times: readonly number[]): [number, number] {
  const [min, max] = [Math.min(...times), Math.max(...times)]
  return max > min ? [min, max] : [min - padSeconds, max + padSeconds]
}

/** Everything that a plot places on its horizontal axis, oldest first. */
export function momentsOf({ times, marks }: Pick<PlotData, 'times' | 'marks'>): number[] {
  return [...new Set([...times, ...marks.map(({ time }) => time)])].toSorted((one, other) => one - other)
}

/** The vertical axis: durations from zero, counts near the smallest one so that small changes are seen. */
export function verticalScale({ values, unit }: Pick<PlotData, 'values' | 'unit'>): Scale {
  const steps = unit === 'duration' ? secondSteps : wholeSteps
  if (values.length === 0) return scaleOf(0, 1, steps)
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return unit === 'duration'
    ? scaleOf(0, Math.max(1, max), steps)
    : scaleOf(Math.max(0, min - 1), max + 1, steps)
}

/** Labels of equally spaced values, each of which differs from the others. */
export function axisLabels({ ticks, step }: Scale, unit: Unit): string[] {
  if (unit !== 'count') return ticks.map(unitFormats[unit])
  if (step >= 1_000_000) return ticks.map((value) => `${formatCount(value / 1_000_000)}M`)
  return ticks.map(step >= 1000 ? (value) => `${formatCount(value / 1000)}K` : formatCount)
}

/** What a plot shows at one moment: `Nov 21, 2026, 12:00:00 UTC · Documents: 95`. */
export function momentText({ title, times, values, marks, unit }: PlotData, moment: number): string {
  const value = values[times.indexOf(moment)]
  const shown = value === undefined ? [] : [`${title}: ${unitFormats[unit](value)}`]
  const texts = marks.filter(({ time }) => time === moment).map(({ text }) => text)
  return [formatTime(new Date(moment * 1000).toISOString()), ...shown, ...texts].join(' · ')
}

/** `Documents: 95 to 97; refused: 1`, for screen readers. */
export function plotSummary({ title, values, unit, marks, reference }: PlotData): string {
  const format = unitFormats[unit]
  const [first, last] = [values[0], values.at(-1)]
  const known = first === undefined || last === undefined ? 'no data' : `${format(first)} to ${format(last)}`
  const more = reference ? [`${reference.label}: ${format(reference.value)}`] : []
  for (const [text, { length }] of Map.groupBy(marks, ({ text }) => text))
    more.push(`${text}: ${formatCount(length)}`)
  return `${title}: ${[known, ...more].join('; ')}`
}
