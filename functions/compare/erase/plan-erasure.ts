import { dayMs, runIdTime } from '../../state/changes/change-chain.ts'
import {
  type ChangesLatest,
  type SetManifest,
  type SetSummary,
  setManifestKey,
} from '../../state/changes/changes.ts'
import type { ObjectVersion } from '../../state/object-versions.aws.ts'

/** Runs with smaller ids started so long ago that their content must go, unless it is still published. */
export const erasureCutoff = (keptDays: number, now: number): string => runIdTime(now - keptDays * dayMs)

/** The published snapshot's run, and the run of the snapshot that it replaced. */
export interface PublishedRuns {
  readonly published: string
  readonly previous: string | undefined
}

/**
 * The runs whose snapshots stay even if they are older than the cutoff: the published one, and the one that it replaced
 * not too long ago. Of older ones it is not known how long they were published, so the time of their own run counts.
 */
export function keptSnapshots(runs: PublishedRuns | undefined, cutoff: string): readonly string[] {
  if (!runs) return []
  const { published, previous } = runs
  return previous !== undefined && published >= cutoff ? [published, previous] : [published]
}

/** Whether a version of an object of a run that is older than the cutoff must go. `kept` are the keys that stay. */
export const isErasable = ({ key, isLatest }: ObjectVersion, kept: ReadonlySet<string>): boolean =>
  !(isLatest && kept.has(key))

/** The tip's set, and whether its snapshot is erased. */
export interface ErasedTip {
  readonly set: SetManifest | undefined
  readonly isSnapshotErased: boolean
}

/**
 * The chain without the sets whose content must go. It starts again if its next comparison would need what is erased.
 * Undefined if it stays as it is.
 */
export function trimChain(
  chain: ChangesLatest,
  { set, isSnapshotErased }: ErasedTip,
  cutoff: string,
): ChangesLatest | undefined {
  const lastExpired = chain.sets.findLastIndex((summary) => hasExpired(summary, cutoff))
  const reset = chain.reset ?? resetReason(set, isSnapshotErased, cutoff)
  if (lastExpired < 0 && reset === chain.reset) return undefined
  return { ...chain, sets: chain.sets.slice(lastExpired + 1), reset }
}

/** A reset has no content. A set that does not say how old its content is was published before the key was set. */
function hasExpired({ kind, absentSince = '' }: SetSummary, cutoff: string): boolean {
  return kind === 'changes' && absentSince < cutoff
}

function resetReason(set: SetManifest | undefined, isSnapshotErased: boolean, cutoff: string): string | null {
  if (isSnapshotErased) return "The tip's snapshot was erased because of eraseWithinDays."
  if (set?.kind !== 'changes' || set.withheldParts.length === 0) return null
  return (set.withheldSince ?? '') < cutoff
    ? "The tip's withheld documents were erased because of eraseWithinDays."
    : null
}

/**
 * The objects of change sets that are kept: those of the sets in the chain, and of the tip what the next comparison
 * needs. `sets` are the manifests of these runs.
 */
export function keptChangeKeys(
  { tip, sets, reset }: ChangesLatest,
  manifests: readonly SetManifest[],
): ReadonlySet<string> {
  const listed = new Set(sets.map(({ runId }) => runId))
  return new Set(
    manifests.flatMap(({ entity, runId, parts, withheldParts }) => {
      const isListed = listed.has(runId)
      if (!isListed && (runId !== tip || reset !== null)) return []
      const kept = [...(isListed ? parts : []), ...withheldParts]
      return [setManifestKey(entity, runId), ...kept.map(({ key }) => key)]
    }),
  )
}

/** Links that were just issued work for a day longer, and a comparison that is still writing is not disturbed. */
export function isUnneededPart(version: ObjectVersion, kept: ReadonlySet<string>, now: number): boolean {
  return isErasable(version, kept) && version.writtenAt < now - dayMs
}
