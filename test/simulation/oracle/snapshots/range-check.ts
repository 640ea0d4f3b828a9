import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { canBeCompared } from '../../platform/documents.ts'
import { documentsPresentIn, movedName } from './presence.ts'

interface RangeFacts {
  /** The documents of the snapshot. */
  readonly found: ReadonlyMap<number, number>
  /** The states of the collection since the run began. */
  readonly states: readonly (readonly number[])[]
  /** What searches without a filter reported of the entity, and when. */
  readonly totals: readonly { readonly at: number; readonly total: number }[]
  readonly maxSkewMs: number
  readonly tolerancePercent: number
}

/** Ranges share their boundaries, and more than this in common means that the platform ignored their filters. */
const maxOverlap = 1.2
/** A range may lack the tolerance, and its scroll and search may differ by as much. */
const tolerances = 2

/**
 * What is false about a snapshot by ranges, given the documents that existed while it was made; undefined if nothing
 * is.
 */
export function coverageProblem(manifest: Manifest, facts: RangeFacts): string | undefined {
  const { proof, idField, reportedTotal, startedAt, finishedAt } = manifest
  const { found, states, maxSkewMs, tolerancePercent } = facts
  const [from, to] = [Date.parse(startedAt) - maxSkewMs, Date.parse(finishedAt) + maxSkewMs]
  const totals = facts.totals.filter(({ at }) => at >= from && at <= to).map(({ total }) => total)
  if (reportedTotal === null || !totals.includes(reportedTotal))
    return `states the total ${reportedTotal}; searches reported ${[...new Set(totals)].join(', ')}`
  const snapshot = documentsPresentIn([[...found.keys()]], idField)
  const missing = [...documentsPresentIn(states, idField)].filter((document) => !snapshot.has(document))
  const changes = Math.max(0, states.length - 1)
  // A document that moves, or is created as another one is deleted, while the totals are read makes up for one that no
  // filter finds: the totals agree, and no client can know.
  const hidden = Math.min(changes, missing.filter((name) => !isFoundByFilters(name)).length)
  const allowed = proof === 'exact' ? hidden : changes + (tolerances * tolerancePercent * reportedTotal) / 100
  return missing.length > allowed
    ? `(${proof}) lacks ${missing.length} documents that were there during the whole run, for example ${missing[0]}`
    : undefined
}

const isFoundByFilters = (name: string) => name.endsWith(movedName) || canBeCompared(Number(name))

/** Whether the ranges have more in common than their boundaries, by what the platform reported of each. */
export function overlapProblem({ partitions = [], uniqueIds, reportedTotal }: Manifest): string | undefined {
  const sum = partitions.reduce((total, { reportedTotal }) => total + (reportedTotal ?? 0), 0)
  // The platform counts documents, of which several can have the same id.
  return sum > maxOverlap * Math.max(uniqueIds, reportedTotal ?? 0)
    ? `has ranges of ${sum} documents together, and ${uniqueIds} unique ones`
    : undefined
}
