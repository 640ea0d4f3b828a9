import type { Coverage } from '../run/split.ts'

/** The totals that the platform reports in one reading. */
export interface Reading {
  /** Of the entity without ranges, before and after the others were read. */
  readonly wholeBefore: number
  readonly wholeAfter: number
  readonly ranges: readonly number[]
  /** Documents on each boundary, which are in two ranges. */
  readonly boundaries: readonly number[]
}

export type CoverageDecision =
  | { readonly kind: 'covered'; readonly coverage: Coverage }
  | { readonly kind: 'read-again' }
  | { readonly kind: 'not-covered'; readonly reason: string }

const maxReadings = 5

/**
 * Decides whether the ranges together contain the entity, by what all readings so far found. The documents of the ranges
 * without those on the boundaries must be as many as the entity has while it does not change.
 */
export function decideCoverage(readings: readonly Reading[]): CoverageDecision {
  const last = readings.at(-1)
  if (!last) return { kind: 'read-again' }
  const previous = readings.at(-2)
  const sum = sumOf(last)
  if (isStill([last]) && sum === last.wholeAfter) return { kind: 'covered', coverage: 'exact' }
  const isRepeated = previous !== undefined && isStill([previous, last]) && sumOf(previous) === sum
  if (!isRepeated && readings.length < maxReadings) return { kind: 'read-again' }
  const wholes = wholesOf(readings)
  const isBetween = Math.min(...wholes) <= sum && sum <= Math.max(...wholes)
  const neverStands = readings.every((reading) => !isStill([reading]))
  if (!isRepeated && neverStands && isBetween) return { kind: 'covered', coverage: 'approximate' }
  return {
    kind: 'not-covered',
    reason: ignoresFilters(last)
      ? 'The platform seems to ignore the filter: each range has as many documents as the entity.'
      : `The ranges have ${sum} documents and the entity has ${last.wholeAfter}: a filter finds too many or too few, or some documents are in no range.`,
  }
}

function sumOf({ ranges, boundaries }: Reading): number {
  return total(ranges) - total(boundaries)
}

function wholesOf(readings: readonly Reading[]): number[] {
  return readings.flatMap(({ wholeBefore, wholeAfter }) => [wholeBefore, wholeAfter])
}

/** True if the entity had the same number of documents in all of them. */
function isStill(readings: readonly Reading[]): boolean {
  return new Set(wholesOf(readings)).size === 1
}

function ignoresFilters({ wholeAfter, ranges }: Reading): boolean {
  return ranges.every((documents) => documents === wholeAfter)
}

const maxShareOnBoundaries = 0.2

/**
 * The boundaries to keep, so that together they have at most a fifth of the entity. Those with the most documents are
 * dropped first. `documents` are those on each boundary.
 */
export function keptBoundaries(
  boundaries: readonly string[],
  documents: readonly number[],
  whole: number,
): readonly string[] {
  const kept = boundaries.map((boundary, index) => ({ boundary, documents: documents[index] ?? 0 }))
  while (total(kept.map((one) => one.documents)) > maxShareOnBoundaries * whole) {
    const most = Math.max(...kept.map((one) => one.documents))
    kept.splice(
      kept.findIndex((one) => one.documents === most),
      1,
    )
  }
  return kept.map(({ boundary }) => boundary)
}

const maxShareOfMean = 2

/** True if no range has more than twice the mean. */
export function isBalanced({ ranges, wholeAfter }: Reading): boolean {
  const limit = (maxShareOfMean * wholeAfter) / ranges.length
  return ranges.every((documents) => documents <= limit || documents <= 1)
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}
