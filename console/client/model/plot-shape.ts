import { fittingLabels } from './fitting-labels.ts'
import { formatAxisTimes } from './format.ts'
import { axisLabels, momentsOf, type PlotData, timeRange, verticalScale } from './plot-data.ts'
import { timeTicks } from './scale.ts'

export type PlotShape = ReturnType<typeof plotShape>

const top = 8
const below = 24
const margin = 12
/** Of the font of labels, at most. */
const characterWidth = 7
const pixelsPerTimeLabel = 110

/** A plot in the coordinates of an SVG: pixels from the left and the top. */
export function plotShape(plot: PlotData, { width, height }: { width: number; height: number }) {
  const { times, values, marks, reference, unit } = plot
  const vertical = verticalScale(plot)
  const labels = axisLabels(vertical, unit)
  const left = margin + characterWidth * Math.max(...labels.map(({ length }) => length))
  const [right, bottom] = [width - margin, height - below]
  const allMoments = momentsOf(plot)
  const range = timeRange(allMoments)
  const scaled = (value: number, [min, max]: readonly [number, number]) => (value - min) / (max - min)
  const x = (time: number) => round(left + scaled(time, range) * (right - left))
  const y = (value: number) => round(bottom - scaled(value, [vertical.min, vertical.max]) * (bottom - top))
  const ticks = timeTicks(range, Math.max(1, Math.floor((right - left) / pixelsPerTimeLabel)))
  const texts = formatAxisTimes(ticks, range)
  const xTicks = ticks.map((time, index) => ({ at: x(time), text: texts[index] ?? '' }))
  const extents = xTicks.map(({ at, text }) => {
    const half = (characterWidth * text.length) / 2
    return { left: at - half, right: at + half }
  })
  const fits = fittingLabels(extents, { left: 0, right: width })
  return {
    left,
    right,
    bottom,
    xTicks: xTicks.filter((_, index) => fits[index]),
    yTicks: vertical.ticks.map((value, index) => ({ at: y(value), text: labels[index] ?? '' })),
    points: values.map((value, index) => [x(times[index] ?? 0), y(value)] as const),
    marks: marks.map(({ time, tone }) => ({ x: x(time), tone, time })),
    reference: reference && y(reference.value),
    /** Where each moment is, oldest first. */
    moments: allMoments.map((time) => ({ time, x: x(time) })),
  }
}

const round = (value: number) => Math.round(value * 10) / 10

export function closestMoment({ moments }: Pick<PlotShape, 'moments'>, x: number): number | undefined {
  const distances = moments.map((moment) => Math.abs(moment.x - x))
  const index = distances.indexOf(Math.min(...distances))
  return index === -1 ? undefined : index
}

const moves: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowLeft: (from) => from - 1,
  ArrowRight: (from) => from + 1,
  Home: () => 0,
  End: (_, last) => last,
}

/** The moment that a key selects; undefined for keys that select none. */
export function momentAfterKey(key: string, from: number | undefined, count: number): number | undefined {
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined
  if (!move || count === 0) return undefined
  return Math.min(count - 1, Math.max(0, move(from ?? count, count - 1)))
}
