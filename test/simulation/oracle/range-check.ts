import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'

interface Reported {
  /** What searches without a filter reported of the entity, and when. */
  readonly totals: readonly { readonly at: number; readonly total: number }[]
  readonly maxSkewMs: number
  readonly tolerancePercent: number
}

/** Ranges share their boundaries, and more than this in common means that the platform ignored their filters. */
const maxOverlap = 1.2

/** What is false about the proof that ranges hold the whole entity; undefined if nothing is. */
export function coverageProblem(manifest: Manifest, reported: Reported): string | undefined {
  const { uniqueIds, proof, startedAt, finishedAt } = manifest
  const { maxSkewMs, tolerancePercent } = reported
  const totals = reported.totals
    .filter(({ at }) => at >= Date.parse(startedAt) - maxSkewMs && at <= Date.parse(finishedAt) + maxSkewMs)
    .map(({ total }) => total)
  const isExact = totals.includes(uniqueIds)
  const isNear = totals.some((total) => Math.abs(uniqueIds - total) * 100 <= tolerancePercent * total)
  const isBetween = Math.min(...totals) < uniqueIds && uniqueIds < Math.max(...totals)
  if (proof === 'exact' ? isExact : isExact || isNear || isBetween) return undefined
  return `claims ${proof} with ${uniqueIds} documents; searches reported ${[...new Set(totals)].join(', ')}`
}

/** Whether the ranges have more in common than their boundaries, by what the platform reported of each. */
export function overlapProblem({ partitions = [], uniqueIds, reportedTotal }: Manifest): string | undefined {
  const sum = partitions.reduce((total, { reportedTotal }) => total + (reportedTotal ?? 0), 0)
  // The platform counts documents, of which several can have the same id.
  return sum > maxOverlap * Math.max(uniqueIds, reportedTotal ?? 0)
    ? `has ranges of ${sum} documents together, and ${uniqueIds} unique ones`
    : undefined
}
