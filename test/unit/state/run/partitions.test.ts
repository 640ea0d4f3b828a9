import { describe, expect, it } from 'vitest'
import {
  type Partitions,
  plannedRanges,
  suspectRanges,
  unplanned,
} from '../../../../functions/state/run/partitions.ts'

const plan = { by: 'createdIn', count: 2, boundaries: ['b'], totalBefore: 30, filters: ['low', 'high'] }
const rangeOf = (where: string) => ({
  where,
  state: 'open',
  attempt: 1,
  suspect: false,
  retryState: undefined,
  cleanCounts: [],
  pageSize: 50,
})

describe('the partitions of a run', () => {
  it('are planned later if the entity has any', () => {
    expect(unplanned({ partitions: { by: 'createdIn', count: 2 } })).toEqual({ kind: 'unplanned' })
    expect(unplanned({ partitions: undefined })).toEqual({ kind: 'none' })
  })

  it('begin as one open range for each filter', () => {
    expect(plannedRanges(plan, 50)).toEqual({
      kind: 'ranges',
      by: 'createdIn',
      count: 2,
      boundaries: ['b'],
      totalBefore: 30,
      ranges: [rangeOf('low'), rangeOf('high')],
    })
  })
})

describe('after a crash', () => {
  it('each open range is suspect, and no proven one', () => {
    const planned = plannedRanges(plan, 50)
    const [low, high] = planned.ranges
    if (!low || !high) throw new Error('There are two ranges.')
    const proven = { ...low, state: 'proven' } as const
    expect(suspectRanges({ ...planned, ranges: [proven, high] })).toEqual({
      ...planned,
      ranges: [proven, { ...high, suspect: true }],
    })
  })

  it.each<Partitions>([{ kind: 'none' }, { kind: 'unplanned' }, { kind: 'fallback', reason: 'Why.' }])(
    'nothing changes for a run without ranges: %o',
    (partitions) => {
      expect(suspectRanges(partitions)).toEqual(partitions)
    },
  )
})
