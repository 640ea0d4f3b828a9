import { describe, expect, it } from 'vitest'
import { formatAxisTimes } from '../../../../console/client/model/format.ts'
import { momentText, timeRange } from '../../../../console/client/model/plot-data.ts'
import { closestMoment, momentAfterKey, plotShape } from '../../../../console/client/model/plot-shape.ts'
import { entityPlots, medianOf } from '../../../../console/client/model/plotted-runs.ts'
import { scaleOf, timeTicks } from '../../../../console/client/model/scale.ts'
import { sparklineOf } from '../../../../console/client/model/sparkline-shape.ts'
import type { SetRow } from '../../../../console/contract/change-sets.ts'
import type { RunRow } from '../../../../console/contract/run-rows.ts'
import { plot, series } from './plot-data.ts'

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

  const at = Date.UTC(2026, 10, 21, 12, 12, 34) / 1000
  it.each([
    [86_400, 3 * 86_400, /^Nov 2\d$/],
    [43_200, 3 * 86_400, /^Nov 2\d, \d\d:\d\d$/],
    [3600, 86_400, /^\d\d:\d\d$/],
    [60, 120, /^\d\d:\d\d$/],
    [59, 60, /^\d\d:\d\d:34$/],
  ])('labels times %i s apart in %i s as finely as needed', (step, seconds, label) => {
    expect(formatAxisTimes([at, at + step], [at, at + seconds])[0]).toMatch(label)
  })

  it('labels one time by the length of the axis', () => {
    expect(formatAxisTimes([at], [at, at + 30])[0]).toMatch(/:\d\d:34$/)
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
    expect(momentText(shown, 60)).toMatch(/:\d\d:00 \S+ · S1: 2$/)
    expect(momentText(shown, 30)).toMatch(/:\d\d:30 \S+ · refused$/)
  })
})
