import { describe, expect, it } from 'vitest'
import { newRange } from '../../../../stored/run/range.ts'
import { rangesOf } from '../../../../stored/run/ranges-of-split.ts'
import { fallback, mapRanges, plannedRanges, type Split, splitOf } from '../../../../stored/run/split.ts'
import { planOfRanges } from './plan-of-ranges.ts'

const first = { pageSize: 50, now: Date.UTC(2026, 2, 1, 6) }
const filters = [
  { where: 'low', documents: 20 },
  { where: 'high', documents: 12 },
]
const plan = { ...planOfRanges, by: 'createdIn', boundaries: ['b'], total: 30 } as const
const whole = newRange({ filter: undefined, ...first })

describe('the split of a run', () => {
  it('is one range without a filter if the entity is not partitioned, and otherwise planned later', () => {
    expect(splitOf({ partitions: undefined }, first)).toEqual({ kind: 'whole', range: whole })
    expect(splitOf({ partitions: { by: 'createdIn', count: 2 } }, first)).toEqual({
      kind: 'unplanned',
      crashes: 0,
    })
  })

  it('begins with one planned range for each filter', () => {
    expect(plannedRanges({ ...plan, filters }, first)).toEqual({
      ...plan,
      kind: 'ranges',
      reopened: false,
      ranges: filters.map((filter) => newRange({ filter, ...first })),
    })
  })

  it.each<[Split, number]>([
    [{ kind: 'unplanned', crashes: 0 }, 0],
    [splitOf({ partitions: undefined }, first), 1],
    [fallback('Why.', first), 1],
    [plannedRanges({ ...plan, filters }, first), 2],
  ])('has ranges, each of which can be changed: %o', (split, count) => {
    expect(rangesOf(split)).toHaveLength(count)
    const changed = mapRanges(split, (range, index) => ({ ...range, pageSize: index + 7 }))
    expect(rangesOf(changed).map(({ pageSize }) => pageSize)).toEqual([7, 8].slice(0, count))
    expect(changed.kind).toBe(split.kind)
  })

  it('names why a partitioned entity is scrolled whole', () => {
    expect(fallback('Why.', first)).toEqual({ kind: 'fallback', reason: 'Why.', range: whole })
  })
})
