import { describe, expect, it } from 'vitest'
import { formatAxisTimes } from '../../../../console/client/model/format.ts'
import { momentText, timeRange } from '../../../../console/client/model/plot-data.ts'
import { closestMoment, momentAfterKey, plotShape } from '../../../../console/client/model/plot-shape.ts'
import { entityPlots, medianOf } from '../../../../console/client/model/plotted-runs.ts'
import { scaleOf, timeTicks } from '../../../../console/client/model/scale.ts'
import { sparklineOf } from '../../../../console/client/model/sparkline-shape.ts'
import type { RunRow } from '../../../../console/contract/run.ts'
import { plot } from './plot-data.ts'

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

it('plots the published runs of an entity, oldest first, and marks the other runs', () => {
  const statuses = ['published', 'refused', 'failed', 'cancelled', 'published']
  expect(entityPlots(statuses.map((status, index) => run(status, 3 - index / 2)))).toEqual([
    {
      title: 'Documents',
      unit: 'count',
      times: [60, 180],
      values: [100, 300],
      marks: [
        { time: 120, text: 'failed', tone: 'problem' },
        { time: 150, text: 'refused', tone: 'warning' },
      ],
      reference: undefined,
    },
    {
      title: 'Duration',
      unit: 'duration',
      times: [60, 180],
      values: [10, 30],
      marks: [],
      reference: { label: 'median', value: 20 },
    },
  ])
  expect(entityPlots([]).map(({ reference }) => reference)).toEqual([undefined, undefined])
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
    const { xTicks, moments } = plotShape(plot({ times: [86_400 * 365], values: [95] }), {
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

  it('labels one time by the length of the axis', () =>
    expect(formatAxisTimes([at], [at, at + 30])[0]).toMatch(/:\d\d:34$/))

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
    const shown = plot({ marks: [{ time: 30, text: 'refused', tone: 'warning' }] as const })
    expect(momentText(shown, 0)).toMatch(/^(Jan 1, 1970|Dec 31, 1969), .* · Documents: 95$/)
    expect(momentText(shown, 30)).toMatch(/:\d\d:30 \S+ · refused$/)
  })
})
