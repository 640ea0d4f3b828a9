import { describe, expect, it } from 'vitest'
import { formatAxisTimes } from '../../../../console/page/model/format.ts'
import { formatShort, plotSummary, timeRange, verticalRanges } from '../../../../console/page/model/plot.ts'

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

const at = Date.UTC(2026, 10, 21, 12) / 1000
it.each([
  [86_400, /^Nov 2\d$/],
  [86_399, /^\d\d:\d\d$/],
  [60, /^\d\d:\d\d$/],
  [59, /^\d\d:\d\d$/],
])('times %i s apart have labels as fine as needed', (step, label) => {
  for (const text of formatAxisTimes([at, at + step])) expect(text).toMatch(label)
})

it('labels seconds and minutes apart differently', () => {
  expect(formatAxisTimes([at, at + 59])).not.toEqual(formatAxisTimes([at, at + 60]).slice(0, 2))
  expect(new Set(formatAxisTimes([at, at + 1])).size).toBe(2)
  expect(new Set(formatAxisTimes([at, at + 60])).size).toBe(2)
})
