import { describe, expect, it } from 'vitest'
import type { RecordedProgress } from '../../../../stored/pages/page.ts'
import { noProgress, type Position, startPosition } from '../../../../stored/pages/page.ts'
import type { AttemptId } from '../../../../stored/pages/page-partition.ts'
import {
  positionsOf,
  progressOfRun,
  progressOver,
  recordedPositions,
} from '../../../../stored/run/attempts.ts'
import { type ActiveRun, newRun } from '../../../../stored/run/run.ts'
import { mapRanges, plannedRanges, splitOf } from '../../../../stored/run/split.ts'
import { entityNamed } from '../../../entity-named.ts'
import { planOfRanges } from './plan-of-ranges.ts'

const first = { pageSize: 10, now: 0 }
const whole: ActiveRun = {
  ...newRun({ runId: 'r', entity: entityNamed('CL'), acceptShrink: false, execution: undefined, now: 0 }),
  split: mapRanges(splitOf({ partitions: undefined }, first), (range) => ({ ...range, attempt: 2 })),
}
const plan = { ...planOfRanges, by: 'createdIn', boundaries: ['b'], total: 30 } as const
const filters = ['low', 'high'].map((where) => ({ where, documents: 15 }))
const ranged: ActiveRun = {
  ...whole,
  split: mapRanges(plannedRanges({ ...plan, filters }, first), (range, index) => ({
    ...range,
    attempt: index + 4,
  })),
}

const positionAt = (page: number, documentsSoFar: number): Position => ({
  ...startPosition(10),
  kind: 'page',
  page,
  documentsSoFar,
  total: 20,
})

const nameOf = ({ range, attempt }: AttemptId) => `${range ?? 'whole'}-${attempt}`
const state = {
  lastPosition: async (attempt: AttemptId) =>
    ({ '0-4': positionAt(1, 9), 'whole-2': positionAt(2, 15) })[nameOf(attempt)],
}

/** The attempts whose positions are read. */
const attemptsOf = (run: ActiveRun) => positionsOf({ lastPosition: async (attempt) => attempt as never }, run)

describe('a run without partitions', () => {
  it('has one attempt, with its position', async () => {
    expect(await attemptsOf(whole)).toEqual([{ runId: 'r', attempt: 2 }])
    expect(await positionsOf(state, whole)).toEqual([positionAt(2, 15)])
  })

  it('has the progress of its attempt, with the total that its first page reported', async () => {
    expect(await progressOfRun(state, whole)).toEqual({
      documents: 15,
      pages: 2,
      total: 20,
      rangeProgress: [{ documents: 15, pages: 2, total: 20 }],
    })
    expect(progressOver(whole, [undefined])).toMatchObject({ documents: 0, pages: 0, total: undefined })
    expect(progressOver(whole, [])).toEqual(noProgress)
  })
})

describe('a run with partitions', () => {
  it('has one attempt for each range, with their positions and pages in order', async () => {
    expect(await attemptsOf(ranged)).toEqual([
      { runId: 'r', range: 0, attempt: 4 },
      { runId: 'r', range: 1, attempt: 5 },
    ])
    expect(await positionsOf(state, ranged)).toEqual([positionAt(1, 9), undefined])
  })

  it('has the sum of the progress of its ranges, with the total of the entity', async () => {
    expect(await progressOfRun(state, ranged)).toEqual({
      documents: 9,
      pages: 1,
      total: 30,
      rangeProgress: [
        { documents: 9, pages: 1, total: 20 },
        { documents: 0, pages: 0, total: undefined },
      ],
    })
    expect(progressOver(ranged, [positionAt(1, 9), positionAt(3, 8)])).toEqual({
      documents: 17,
      pages: 4,
      total: 30,
      rangeProgress: [
        { documents: 9, pages: 1, total: 20 },
        { documents: 8, pages: 3, total: 20 },
      ],
    })
  })
})

const scroll = { kind: 'page', page: 1, documentsSoFar: 9, total: 20, respondedAt: 5 } as const
const low = { ...scroll, range: 0, attempt: 4 }
const high = { ...scroll, range: 1, attempt: 5 }
const record = { ...scroll, range: undefined, attempt: 2 }

it.each<[string, ActiveRun, RecordedProgress | undefined, unknown[]]>([
  ['of its attempt', whole, { runId: 'r', scrolls: [record] }, [record]],
  ['of its ranges in any order', ranged, { runId: 'r', scrolls: [high, low] }, [low, high]],
  ['of one range', ranged, { runId: 'r', scrolls: [high] }, [undefined, high]],
  ['of an older attempt', ranged, { runId: 'r', scrolls: [{ ...low, attempt: 3 }, high] }, [undefined, high]],
  ['of ranges that it gave up', whole, { runId: 'r', scrolls: [low, high] }, [undefined]],
  ['of another run', whole, { runId: 'other', scrolls: [record] }, [undefined]],
  ['before the first record', whole, undefined, [undefined]],
])('the recorded progress of a run %s', (...[, run, progress, positions]) =>
  expect(recordedPositions(run, progress)).toEqual(positions),
)
