import { describe, expect, it } from 'vitest'
import type { RunRow, SetRow } from '../../../../console/contract.ts'
import { entityPlots } from '../../../../console/page/model/entity-plots.ts'
import { formatAxisTimes } from '../../../../console/page/model/format.ts'
import { formatShort, plotSummary, timeRange, verticalRanges } from '../../../../console/page/model/plot.ts'
import { sparklineOf } from '../../../../console/page/model/sparkline.ts'

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

it('plots the published runs and the change sets of an entity, oldest first', () => {
  const run = (status: string, minute: number) =>
    ({
      status,
      startedAt: new Date(minute * 60_000).toISOString(),
      endedAt: new Date(minute * 60_000 + 30_000).toISOString(),
      documents: minute * 100,
    }) as RunRow
  const set = (kind: string, created: number) =>
    ({ runId: '19700101T000200000Z-0123456789ab', kind, created, updated: 5, deleted: 7 }) as SetRow
  const plots = entityPlots(
    [run('published', 3), run('failed', 2), run('published', 1)],
    [set('reset', 9), set('changes', 3)],
  )
  expect(plots.map(({ format, ...plot }) => ({ ...plot, text: format(90) }))).toEqual([
    {
      title: 'Documents',
      axis: 'around-values',
      times: [60, 180],
      series: [{ label: 'Documents', color: '--accent', values: [100, 300] }],
      text: '90',
    },
    {
      title: 'Duration',
      axis: 'from-zero',
      times: [60, 180],
      series: [{ label: 'Duration', color: '--accent', values: [30, 30] }],
      text: '1 min 30 s',
    },
    {
      title: 'Changes',
      axis: 'from-zero',
      times: [120],
      series: [
        { label: 'created', color: '--accent', values: [3] },
        { label: 'updated', color: '--warning', values: [5] },
        { label: 'deleted', color: '--problem', values: [7] },
      ],
      text: '90',
    },
  ])
})

describe('the vertical axis', () => {
  it.each([
    ['from-zero', 10, 100, [0, 105]],
    ['from-zero', 0, 0, [0, 1]],
    ['from-zero', -5, -1, [-5, 1]],
    ['around-values', 100, 200, [90, 210]],
    ['around-values', 100, 100, [99, 101]],
    ['around-values', 2, 92, [0, 101]],
  ] as const)('%s of %i to %i is %j', (...[axis, min, max, range]) => {
    expect(verticalRanges[axis](min, max)).toEqual(range)
  })
})

it.each([
  [1, 2, [1, 2]],
  [5000, 5000, [1400, 8600]],
])('the times %i to %i are shown as %j', (min, max, range) => expect(timeRange(min, max)).toEqual(range))

it.each([
  [0, '0'],
  [1.26, '1.3'],
  [9_999, '9,999'],
  [10_000, '10K'],
  [999_499, '999K'],
  [1_000_000, '1.0M'],
  [1_250_000, '1.3M'],
])('%d is short as %s', (value, text) => expect(formatShort(value)).toBe(text))

it('is summarized by its first and last values', () => {
  const series = [
    { label: 'created', color: '--a', values: [null, 1, 5, 3, null] },
    { label: 'deleted', color: '--b', values: [null] },
  ] as const
  expect(plotSummary('Changes', series, String)).toBe('Changes. created: 1 to 3; deleted: no data')
})

// 12 minutes past an hour, in every time zone.
const at = Date.UTC(2026, 10, 21, 12, 12, 34) / 1000
it.each([
  [86_400, /^Nov 2\d$/],
  [86_399, /^\d\d:12$/],
  [60, /^\d\d:12$/],
  [59, /^12:34$/],
])('times %i s apart have labels as fine as needed', (step, label) => {
  expect(formatAxisTimes([at, at + step])[0]).toMatch(label)
})
