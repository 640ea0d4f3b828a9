import type { Proof } from '../../state/run/proof.ts'
import type { ProvenRange } from '../../state/run/range.ts'
import type { ActiveFullRun, RunResult } from '../../state/run/run.ts'
import {
  type Absences,
  byValue,
  type PartitionResult,
  type PlannedRanges,
  rangesOf,
} from '../../state/run/split.ts'
import type { PageCount } from './page-count.ts'

/** What a run records of its proof, from which its manifest is written. All of its ranges are proven. */
export function runResultOf(
  run: ActiveFullRun,
  { documents, uniqueIds, pages }: PageCount,
  now: number,
): RunResult {
  const { split, requests, receivedBytes, startedAt } = run
  const ranges = provenRanges(run)
  const [only] = ranges
  if (!only) throw new Error('The run has no proven range.')
  const isSplit = split.kind === 'ranges'
  const covered = isSplit ? withOverlap(split, overlapOf(ranges, uniqueIds)) : undefined
  return {
    proof: covered ? proofOf(covered, ranges) : only.proof,
    documents,
    uniqueIds,
    pages: pages.length,
    reportedTotal: isSplit ? split.total : only.total,
    pageSize: Math.min(...ranges.map(({ pageSize }) => pageSize)),
    openedAt: new Date(Math.min(...ranges.map(({ openedAt }) => openedAt))).toISOString(),
    finishedAt: new Date(now).toISOString(),
    partitions: covered && partitionResult(covered, ranges),
    spent: { requests, receivedBytes, milliseconds: now - Date.parse(startedAt) },
  }
}

export function provenRanges({ split }: ActiveFullRun): ProvenRange[] {
  return rangesOf(split).map((range) => {
    if (range.state !== 'proven') throw new Error('A range of the run is not proven.')
    return range
  })
}

/** Documents that were found in more than one range. */
const overlapOf = (ranges: readonly ProvenRange[], uniqueIds: number) =>
  ranges.reduce((sum, range) => sum + range.uniqueIds, 0) - uniqueIds

interface CoveredRanges extends PlannedRanges {
  readonly overlapping?: number
}

/**
 * Documents that are in two ranges without being on their boundary and documents that are in none can add up to the
 * expected total. Then nothing is known about what is in no range.
 */
function withOverlap(split: PlannedRanges, overlap: number): CoveredRanges {
  const overlapping = overlap - (split.onBoundaries ?? overlap)
  return overlapping > 0 ? { ...split, coverage: 'approximate', overlapping } : split
}

function proofOf({ coverage }: PlannedRanges, ranges: readonly ProvenRange[]): Proof {
  const isExact = coverage === 'exact' && ranges.every(({ proof }) => proof === 'exact')
  return isExact ? 'exact' : 'within-tolerance'
}

/** What it means that a document is in none of the ranges. */
function absencesOf(split: PlannedRanges, ranges: readonly ProvenRange[]): Absences {
  if (split.coverage !== 'exact') return 'unknown'
  return !split.reopened && proofOf(split, ranges) === 'exact' ? 'proven' : 'repeatable'
}

function partitionResult(split: CoveredRanges, ranges: readonly ProvenRange[]): PartitionResult {
  const { by, count, boundaries, searchedAt, areBest, overlapping } = split
  return {
    by,
    count,
    boundaries,
    searchedAt,
    ...(areBest && { areBest }),
    absences: absencesOf(split, ranges),
    ...(overlapping !== undefined && { overlapping }),
    ranges: byValue(ranges).map(({ filter, documents, total, attempt }) => ({
      where: filter?.where ?? '',
      documents,
      reportedTotal: total,
      attempts: attempt,
    })),
  }
}
