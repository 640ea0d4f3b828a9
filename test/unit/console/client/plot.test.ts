import { describe, expect, it } from 'vitest'
import { entityPlots, medianOf } from '../../../../console/client/model/entity-plots.ts'
import { formatAxisTimes } from '../../../../console/client/model/format.ts'
import {
  axisLabels,
  momentText,
  type PlotData,
  plotSummary,
  timeRange,
  verticalScale,
} from '../../../../console/client/model/plot.ts'
import { closestMoment, momentAfterKey, plotShape } from '../../../../console/client/model/plot-shape.ts'
import { scaleOf, secondSteps, timeTicks, wholeSteps } from '../../../../console/client/model/scale.ts'
import { sparklineOf } from '../../../../console/client/model/sparkline.ts'
import type { SetRow } from '../../../../console/contract/change-sets.ts'
import type { RunRow } from '../../../../console/contract/run-rows.ts'

describe('the small line of an entity', () => {
  it.each([
    [
      [1, 2],
      [
        [3, 21],
        [93, 3],
      ],
      'from 1 to 2',
    ],
    [
      [1000, 3000, 2000],
      [
        [3, 21],
        [48, 3],
        [93, 12],
      ],
      'from 1,000 to 2,000',
    ],
    [
      [0, 1, 2, 3],
      [
        [3, 21],
        [33, 15],
        [63, 9],
        [93, 3],
      ],
      'from 0 to 3',
    ],
    [
      [5, 5],
      [
        [3, 21],
        [93, 21],
      ],
      'from 5 to 5',
    ],
  ])('through %j goes through %j', (values, points, text) => {
    expect(sparklineOf(values)).toEqual({ points, end: points.at(-1), text })
  })

  it('rounds its coordinates', () => {
    expect(sparklineOf([0, 1, 6, 7])?.points).toEqual([
      [3, 21],
      [33, 18.4],
      [63, 5.6],
      [93, 3],
    ])
  })

  it.each([[[]], [[1]]])('does not exist for %j', (values) => expect(sparklineOf(values)).toBeUndefined())
})

const run = (status: string, minute: number) =>
  ({
    status,
    startedAt: new Date(minute * 60_000).toISOString(),
    endedAt: new Date(minute * 60_000 + minute * 10_000).toISOString(),
    documents: minute * 100,
  }) as RunRow

it('plots the published runs and the change sets of an entity, oldest first, and marks the other runs', () => {
  const set = (kind: string, created: number) =>
    ({ runId: '19700101T000200000Z-0123456789ab', kind, created, updated: 5, deleted: 7 }) as SetRow
  const plots = entityPlots(
    [run('published', 3), run('refused', 2.5), run('failed', 2), run('cancelled', 1.5), run('published', 1)],
    [set('reset', 9), set('changes', 3)],
  )
  expect(plots).toEqual([
    {
      title: 'Documents',
      shape: 'lines',
      unit: 'count',
      axis: 'around-values',
      times: [60, 180],
      series: [{ label: 'Documents', color: '--accent', values: [100, 300] }],
      marks: [
        { time: 120, text: 'failed', tone: 'problem' },
        { time: 150, text: 'refused', tone: 'warning' },
      ],
      reference: undefined,
    },
    {
      title: 'Duration',
      shape: 'lines',
      unit: 'duration',
      axis: 'from-zero',
      times: [60, 180],
      series: [{ label: 'Duration', color: '--accent', values: [10, 30] }],
      marks: [],
      reference: { label: 'median', value: 20 },
    },
    {
      title: 'Changes',
      shape: 'stacked-bars',
      unit: 'count',
      axis: 'from-zero',
      times: [120],
      series: [
        { label: 'created', color: '--accent', values: [3] },
        { label: 'updated', color: '--updated', values: [5] },
        { label: 'deleted', color: '--problem', values: [7] },
      ],
      marks: [],
      reference: undefined,
    },
  ])
  expect(entityPlots([], []).map(({ reference }) => reference)).toEqual([undefined, undefined, undefined])
})

it.each([
  [[], undefined],
  [[5], 5],
  [[9, 1, 5], 5],
  [[4, 1, 2, 30], 3],
])('the median of %j is %s', (values, median) => expect(medianOf(values)).toBe(median))

const plot = (change: Partial<PlotData> = {}): PlotData => ({
  title: 'Documents',
  shape: 'lines',
  unit: 'count',
  axis: 'around-values',
  times: [0, 60],
  series: [{ label: 'Documents', color: '--accent', values: [95, 97] }],
  marks: [],
  reference: undefined,
  ...change,
})
const series = (...values: readonly (number | null)[][]) =>
  values.map((one, index) => ({ label: `S${index}`, color: '--accent', values: one }) as const)

describe('the vertical axis', () => {
  it.each<[name: string, change: Partial<PlotData>, labels: readonly string[]]>([
    ['one document count', { times: [0], series: series([95]) }, ['94', '95', '96']],
    ['no documents', { series: series([0, 0]) }, ['0', '1']],
    ['counts that differ by one', { series: series([95, 96]) }, ['94', '95', '96', '97']],
    [
      'large counts that differ little',
      { series: series([1_000_000, 1_000_300]) },
      ['999,800', '1,000,000', '1,000,200', '1,000,400'],
    ],
    ['thousands', { axis: 'from-zero', series: series([1, 12_000]) }, ['0K', '5K', '10K', '15K']],
    ['millions', { axis: 'from-zero', series: series([1, 3_900_000]) }, ['0M', '1M', '2M', '3M', '4M']],
    ['one second', { axis: 'from-zero', unit: 'duration', series: series([1, 1.4]) }, ['0 s', '1 s', '2 s']],
    [
      'minutes',
      { axis: 'from-zero', unit: 'duration', series: series([70, 100]) },
      ['0 s', '30 s', '1 min', '1 min 30 s', '2 min'],
    ],
    [
      'a reference above the values',
      {
        axis: 'from-zero',
        unit: 'duration',
        times: [],
        series: series([]),
        reference: { label: 'median', value: 3 },
      },
      ['0 s', '1 s', '2 s', '3 s'],
    ],
    [
      'stacked values',
      { shape: 'stacked-bars', axis: 'from-zero', series: series([1, 2], [3, 1], [0, 0]) },
      ['0', '1', '2', '3', '4'],
    ],
    ['nothing', { axis: 'from-zero', times: [], series: series([]) }, ['0', '1']],
    [
      'pages a second',
      { axis: 'from-zero', unit: 'rate', series: series([0.5, 2.5]) },
      ['0/s', '1/s', '2/s', '3/s'],
    ],
  ])('of %s has whole labels that differ', (_, change, labels) => {
    const shown = plot(change)
    expect(axisLabels(verticalScale(shown), shown.unit)).toEqual(labels)
  })

  it.each([
    [0, 4, wholeSteps, { min: 0, max: 4, step: 1, ticks: [0, 1, 2, 3, 4] }],
    [0, 5, wholeSteps, { min: 0, max: 6, step: 2, ticks: [0, 2, 4, 6] }],
    [7, 7, wholeSteps, { min: 7, max: 8, step: 1, ticks: [7, 8] }],
    [0, 3_601, secondSteps, { min: 0, max: 5_400, step: 1_800, ticks: [0, 1_800, 3_600, 5_400] }],
  ])('from %i to %i encloses both with equal steps', (...[min, max, steps, scale]) => {
    expect(scaleOf(min, max, steps)).toEqual(scale)
  })
})

describe('the horizontal axis', () => {
  it.each([
    [
      [1, 2],
      [1, 2],
    ],
    [[5000], [3200, 6800]],
  ])('of the times %j is %j', (times, range) => expect(timeRange(times)).toEqual(range))

  it('has one step if none of the known steps suffices', () => {
    expect(scaleOf(0, 10, [1])).toEqual({ min: 0, max: 10, step: 10, ticks: [0, 10] })
    expect(scaleOf(0.2, 0.5, [])).toEqual({ min: 0, max: 1, step: 1, ticks: [0, 1] })
    expect(timeTicks([86_400, 3001 * 86_400], 4)).toHaveLength(1)
  })

  it('begins and ends at a whole number of steps', () => {
    expect(scaleOf(21, 34, [5])).toMatchObject({ min: 20, max: 35, ticks: [20, 25, 30, 35] })
    expect(timeTicks([0, 40], 4)).toEqual([0, 10, 20, 30, 40])
  })

  it('of a single point shows an hour around it, not years', () => {
    const { xTicks, moments } = plotShape(plot({ times: [86_400 * 365], series: series([95]) }), {
      width: 480,
      height: 180,
    })
    const labels = xTicks.map(({ text }) => text)
    expect(new Set(labels).size).toBe(labels.length)
    expect(labels.every((label) => /^\d\d:\d\d$/.test(label))).toBe(true)
    expect(moments).toEqual([{ time: 86_400 * 365, x: 247 }])
  })

  // 12 minutes past an hour, in every time zone.
  const at = Date.UTC(2026, 10, 21, 12, 12, 34) / 1000
  it.each([
    [86_400, 3 * 86_400, /^Nov 2\d$/],
    [86_399, 3 * 86_400, /^Nov 2\d, \d\d:12$/],
    [3600, 86_400, /^\d\d:12$/],
    [60, 120, /^\d\d:12$/],
    [59, 60, /^\d\d:12:34$/],
  ])('labels times %i s apart in %i s as finely as needed', (step, seconds, label) => {
    expect(formatAxisTimes([at, at + step], [at, at + seconds])[0]).toMatch(label)
  })

  it('labels one time by the length of the axis', () => {
    expect(formatAxisTimes([at], [at, at + 30])[0]).toMatch(/:12:34$/)
  })

  it.each([
    [[at, at + 10], 4, 5],
    [[at, at + 3600], 4, 900],
    [[at, at + 7 * 86_400], 4, 2 * 86_400],
  ] as const)('of %j has at most %i steps, each of %i s at full units', (range, maxTicks, step) => {
    const ticks = timeTicks(range, maxTicks)
    expect(ticks.length).toBeGreaterThan(0)
    expect(ticks.length).toBeLessThanOrEqual(maxTicks + 1)
    const offset = new Date(at * 1000).getTimezoneOffset() * 60
    for (const tick of ticks)
      expect([tick >= range[0], tick <= range[1], (tick - offset) % step]).toEqual([true, true, 0])
  })
})

describe('what is drawn', () => {
  const size = { width: 200, height: 180 }

  it('has a point for each value, and none where there is no value', () => {
    const { lines, left, right } = plotShape(
      plot({ times: [0, 5, 10], series: series([94, null, 96]) }),
      size,
    )
    expect(lines).toEqual([
      {
        color: '--accent',
        points: [
          [left, 119],
          [right, 45],
        ],
      },
    ])
  })

  it('has the labels of both axes and the line of the reference where their values are', () => {
    const shape = plotShape(
      plot({
        times: [0, 1800, 3600],
        series: series([90, 95, 100]),
        reference: { label: 'median', value: 95 },
      }),
      { width: 480, height: 180 },
    )
    const first = shape.yTicks[0]
    const last = shape.yTicks.at(-1)
    expect([first?.at, last?.at]).toEqual([shape.bottom, 8])
    expect(shape.yTicks.map(({ text }) => text).every((text) => /^\d+$/.test(text))).toBe(true)
    expect(shape.left).toBe(12 + 7 * Math.max(...shape.yTicks.map(({ text }) => text.length)))
    expect(shape.reference).toBe(shape.lines[0]?.points[1]?.[1])
    expect(shape.bars).toEqual([])
    expect(shape.xTicks.length).toBeGreaterThan(2)
    expect(plotShape(plot({ times: [0, 60], series: series([1, 2]) }), size).reference).toBeUndefined()
  })

  it('keeps the first and the last bar inside, each around its time', () => {
    const times = [1000, 1010, 1030]
    const data = { shape: 'stacked-bars', axis: 'from-zero', times, series: series([1, 2, 3]) } as const
    const { bars, moments, left, right, lines } = plotShape(plot(data), size)
    const [first, , last] = bars
    expect(lines).toEqual([])
    expect(first?.x).toBe(left)
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeCloseTo(right, 0)
    for (const [index, { x, width }] of bars.entries())
      expect(x + width / 2).toBeCloseTo(moments[index]?.x ?? 0, 0)
    // The closest two are a third of the axis apart.
    expect(first?.width).toBe(18)
    const narrow = plotShape(plot({ ...data, times: [1000, 1001, 1010] }), size)
    expect(narrow.bars[0]?.width).toBeCloseTo(((right - left) / 10) * 0.7, 1)
  })

  it('stacks the bars of one time without gaps', () => {
    const { bars, bottom } = plotShape(
      plot({
        shape: 'stacked-bars',
        axis: 'from-zero',
        times: [0, 60],
        series: series([2, 0], [1, 0], [1, 4]),
      }),
      size,
    )
    const first = bars.slice(0, 3)
    expect(bars).toHaveLength(4)
    expect(first.map(({ height }) => height)).toEqual([74, 37, 37])
    expect(first[0]?.y).toBe(bottom - 74)
    expect(first[1]?.y).toBe(bottom - 74 - 37)
    expect(bars.every(({ width }) => width === 18)).toBe(true)
  })

  it('makes bars narrower where they are close', () => {
    const times = Array.from({ length: 101 }, (_, index) => index)
    const { bars } = plotShape(
      plot({ shape: 'stacked-bars', times, series: series(times.map(() => 1)) }),
      size,
    )
    expect(bars[0]?.width).toBe(2)
  })

  it('marks runs without a value at their times', () => {
    const marks = [{ time: 30, text: 'refused', tone: 'warning' }] as const
    const shape = plotShape(plot({ marks }), size)
    expect(shape.marks).toEqual([{ time: 30, tone: 'warning', x: (shape.left + shape.right) / 2 }])
    expect(shape.moments.map(({ time }) => time)).toEqual([0, 30, 60])
  })
})

describe('a moment', () => {
  const moments = [10, 20, 90].map((x) => ({ time: x, x }))
  it.each([
    [0, 0],
    [16, 1],
    [500, 2],
  ])('at %i pixels is number %i', (x, index) => expect(closestMoment({ moments }, x)).toBe(index))

  it('is none without moments', () => expect(closestMoment({ moments: [] }, 5)).toBeUndefined())

  it.each([
    ['ArrowLeft', undefined, 2],
    ['ArrowLeft', 1, 0],
    ['ArrowLeft', 0, 0],
    ['ArrowRight', undefined, 2],
    ['ArrowRight', 1, 2],
    ['Home', 2, 0],
    ['End', 0, 2],
    ['a', 1, undefined],
    ['toString', 1, undefined],
  ])('after %s from %s is %s', (key, from, next) => expect(momentAfterKey(key, from, 3)).toBe(next))

  it('is none for any key without moments', () => expect(momentAfterKey('End', undefined, 0)).toBeUndefined())

  it('is described by its time, values and marks', () => {
    const marks = [{ time: 30, text: 'refused', tone: 'warning' }] as const
    const shown = plot({ marks, series: series([95, null], [1, 2]) })
    expect(momentText(shown, 0)).toMatch(/^(Jan 1, 1970|Dec 31, 1969), .* · S0: 95 · S1: 1$/)
    expect(momentText(shown, 60)).toMatch(/:01:00 \S+ · S1: 2$/)
    expect(momentText(shown, 30)).toMatch(/:00:30 \S+ · refused$/)
  })
})

it('is summarized by its first and last values, its reference and its marks', () => {
  const mark = (text: string) => ({ time: 0, text, tone: 'warning' }) as const
  const shown = plot({
    title: 'Changes',
    series: series([null, 1, 5, 3, null], [null]),
    reference: { label: 'median', value: 2 },
    marks: [mark('refused'), mark('failed'), mark('refused')],
  })
  expect(plotSummary(shown)).toBe('Changes. S0: 1 to 3; S1: no data; median: 2; refused: 2; failed: 1')
})
