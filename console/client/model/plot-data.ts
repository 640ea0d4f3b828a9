import { formatCount, formatDuration, formatTime } from './format.ts'
import { type Scale, scaleOf, secondSteps, wholeSteps } from './scale.ts'
import type { Tone } from './tones.ts'

export interface Series {
  readonly label: string
  /** A custom property of the style sheet. */
  readonly color: `--${string}`
  /** Null where it has no value. */
  readonly values: readonly (number | null)[]
}

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
  readonly shape: 'lines' | 'stacked-bars'
  readonly unit: Unit
  /** Where the vertical axis begins: at zero, or near the smallest value so that small changes are seen. */
  readonly axis: 'from-zero' | 'around-values'
  /** Epoch seconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly marks: readonly Mark[]
  /** A horizontal line, such as the median. */
  readonly reference: { readonly label: string; readonly value: number } | undefined
}

export type Unit = 'count' | 'duration' | 'rate'

/** Durations are in seconds, rates per second. */
export const unitFormats: Readonly<Record<Unit, (value: number) => string>> = {
  count: formatCount,
  duration: (value) => (value === 0 ? '0 s' : formatDuration(value * 1000)),
  rate: (value) => `${formatCount(Math.round(value * 10) / 10)}/s`,
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

/** The top of each bar or point: the values of one time, on top of each other if they are stacked. */
export function topsOf({ series, shape }: Pick<PlotData, 'series' | 'shape'>, index: number) {
  let sum = 0
  return series.map(({ values }) => {
    const value = values[index] ?? null
    if (value === null || shape === 'lines') return value
    sum += value
    return sum
  })
}

/** The vertical axis. Documents and seconds have no fractions. */
export function verticalScale(plot: PlotData): Scale {
  const { times, axis, unit, reference } = plot
  const tops = times.flatMap((_, index) => topsOf(plot, index)).filter((value) => value !== null)
  const values = reference ? [...tops, reference.value] : tops
  const steps = unit === 'duration' ? secondSteps : wholeSteps
  if (values.length === 0) return scaleOf(0, 1, steps)
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return axis === 'from-zero'
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
export function momentText({ times, series, marks, unit }: PlotData, moment: number): string {
  const index = times.indexOf(moment)
  const values = series.flatMap(({ label, values }) => {
    const value = values[index] ?? null
    return value === null ? [] : `${label}: ${unitFormats[unit](value)}`
  })
  const texts = marks.filter(({ time }) => time === moment).map(({ text }) => text)
  return [formatTime(new Date(moment * 1000).toISOString()), ...values, ...texts].join(' · ')
}

/** `Documents. Documents: 95 to 97; 1 mark`, for screen readers. */
export function plotSummary({ title, series, unit, marks, reference }: PlotData): string {
  const format = unitFormats[unit]
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const [first, last] = [known[0], known.at(-1)]
    if (first === undefined || last === undefined) return `${label}: no data`
    return `${label}: ${format(first)} to ${format(last)}`
  })
  const more = reference ? [`${reference.label}: ${format(reference.value)}`] : []
  for (const [text, { length }] of Map.groupBy(marks, ({ text }) => text))
    more.push(`${text}: ${formatCount(length)}`)
  return `${title}. ${[...parts, ...more].join('; ')}`
}
