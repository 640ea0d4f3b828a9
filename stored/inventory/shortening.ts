import { chainSnapshotRun, incrementPartsOf } from '../changes/chain-facts.ts'
import { isCompactedPart, runOfPart } from '../changes/change-keys.ts'
import type { SetManifest } from '../changes/changes.ts'
import type { ChangesLatest, SetSummary } from '../changes/changes-latest.ts'
import type { Shortening } from '../changes/publication.ts'

export interface ErasedTip {
  readonly set: SetManifest | undefined
  readonly isSnapshotErased: boolean
}

/**
 * The sets that leave the chain because their content must go. It starts again if its next comparison would need what is
 * erased. Undefined if it stays as it is.
 */
export function shorteningOf(
  chain: ChangesLatest,
  { set, isSnapshotErased }: ErasedTip,
  cutoff: string,
): Shortening | undefined {
  const through = chain.sets.findLast((summary) => hasExpired(summary, cutoff))?.runId ?? null
  const reason = chain.erased
    ? null
    : (erasedReason(set, isSnapshotErased, cutoff) ?? incrementsReason(chain, set, cutoff))
  return through === null && reason === null ? undefined : { through, reason }
}

/**
 * A reset has no content. An increment's content was current when it ran. A set that does not record how old its
 * content is was published before `eraseWithinDays` was set.
 */
function hasExpired(set: SetSummary, cutoff: string): boolean {
  if (set.kind === 'increment') return set.runId < cutoff
  return set.kind === 'changes' && (set.absentSince ?? '') < cutoff
}

function erasedReason(
  set: SetManifest | undefined,
  isSnapshotErased: boolean,
  cutoff: string,
): string | null {
  if (isSnapshotErased) return "The tip's snapshot was erased because of eraseWithinDays."
  if (!set || set.kind === 'reset' || set.withheldParts.length === 0) return null
  return (set.withheldSince ?? '') < cutoff
    ? "The tip's withheld documents were erased because of eraseWithinDays."
    : null
}

/** A compacted part may contain documents that were delivered right after the chain's snapshot. */
function incrementsReason(chain: ChangesLatest, set: SetManifest | undefined, cutoff: string): string | null {
  const parts = set ? incrementPartsOf(set) : []
  const hasOld = parts.some(
    ({ key }) => (isCompactedPart(key) ? chainSnapshotRun(chain) : runOfPart(key)) < cutoff,
  )
  return hasOld ? "The tip's increments were erased because of eraseWithinDays." : null
}
