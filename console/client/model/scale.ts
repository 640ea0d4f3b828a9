import { shownZone } from './shown-zone.ts'

/** Equally spaced values of an axis. The first and the last tick enclose everything that is shown. */
export interface Scale {
  readonly min: number
  readonly max: number
  readonly step: number
  readonly ticks: readonly number[]
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Steps of 1, 2 and 5, times a power of ten. */
export const wholeSteps: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat()

/** Steps at which people read a clock. */
export const secondSteps: readonly number[] = [
  [1, 2, 5, 10, 15, 30],
  [1, 2, 5, 10, 15, 30].map((count) => count * minute),
  [1, 2, 3, 6, 12].map((count) => count * hour),
  [1, 2, 7, 14, 28, 91, 182, 364].map((count) => count * day),
].flat()

const maxSteps = 4

/** An axis from `min` to `max` at least, with the smallest of the steps that suffices. */
export function scaleOf(min: number, max: number, steps: readonly number[]): Scale {
  const fits = (step: number) => Math.ceil(max / step) - Math.floor(min / step) <= maxSteps
  const step = steps.find(fits) ?? Math.max(1, max - min)
  const first = Math.floor(min / step)
  const count = Math.max(1, Math.ceil(max / step) - first)
  const ticks = Array.from({ length: count + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: (first + count) * step, step, ticks }
}

/** The times within a range (epoch seconds) that are labeled, at full units of the clock that is shown. */
export function timeTicks([min, max]: readonly [number, number], maxTicks: number): number[] {
  const step = secondSteps.find((seconds) => (max - min) / seconds <= maxTicks) ?? max - min
  const [from, to] = [clockAt(min), clockAt(max)]
  const first = Math.ceil(from / step) * step
  const count = Math.max(0, Math.floor((to - first) / step) + 1)
  const times = Array.from({ length: count }, (_, index) => timeOf(first + index * step))
  // A clock that is set forward shows no time of the hour that it leaves out: that tick is the next one.
  return [...new Set(times)].filter((time) => time >= min && time <= max)
}

/** What the clock shows at a time, in seconds. */
const clockAt = (time: number) =>
  shownZone() === 'utc' ? time : time - new Date(time * 1000).getTimezoneOffset() * minute

/** When the clock shows this. */
function timeOf(clock: number): number {
  if (shownZone() === 'utc') return clock
  const shown = new Date(clock * 1000)
  const [year, month, date] = [shown.getUTCFullYear(), shown.getUTCMonth(), shown.getUTCDate()]
  const [hours, minutes, seconds] = [shown.getUTCHours(), shown.getUTCMinutes(), shown.getUTCSeconds()]
  return new Date(year, month, date, hours, minutes, seconds, shown.getUTCMilliseconds()).getTime() / 1000
}
