import { dayMs } from '../../functions/runtime/durations.ts'
import { runIdTime } from '../changes/change-keys.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'

/** Runs with smaller ids started so long ago that their content must go, unless it is still published. */
export const erasureCutoff = (keptDays: number, now: number): string => runIdTime(now - keptDays * dayMs)

/** Which content of an entity `eraseWithinDays` does not keep. */
export interface ContentLimits {
  /** Of the published snapshot; undefined before the first one. */
  readonly publishedAt: string | undefined
  /** The runs whose snapshots stay, however old they are. The published one is the first. */
  readonly kept: readonly string[]
  readonly cutoff: string
  /** Whether the content of a run must go. */
  readonly isOld: (runId: string) => boolean
}

type Snapshots = Pick<SnapshotStore, 'readLatest' | 'listRuns' | 'readManifest'>

/**
 * The published snapshot stays, and the one that it replaced not too long ago. Of older ones it is not known how long they
 * were published, so the time of their own run counts.
 */
export async function readContentLimits(
  snapshots: Snapshots,
  entity: string,
  cutoff: string,
): Promise<ContentLimits> {
  const { runId, publishedAt } = (await snapshots.readLatest(entity))?.value ?? {}
  const hasPrevious = runId !== undefined && runId >= cutoff
  const previous = hasPrevious ? await previousSnapshot(snapshots, entity, runId) : []
  const kept = runId === undefined ? [] : [runId, ...previous]
  return { publishedAt, kept, cutoff, isOld: (run) => run < cutoff && !kept.includes(run) }
}

async function previousSnapshot(snapshots: Snapshots, entity: string, published: string): Promise<string[]> {
  const runs = await Array.fromAsync(snapshots.listRuns(entity))
  for (const run of runs.filter((one) => one < published).toReversed())
    if (await snapshots.readManifest(entity, run)) return [run]
  return []
}

/** Whether a version of an object with old content must be deleted. `kept` are the keys that stay. */
export const isErasable = (
  { key, isLatest }: ObjectVersion,
  kept: Pick<ReadonlySet<string>, 'has'>,
): boolean => !(isLatest && kept.has(key))

/** Links that were just issued work for a day longer, and a comparison that is still writing is not disturbed. */
export function isUnneededPart(version: ObjectVersion, kept: ReadonlySet<string>, now: number): boolean {
  return isErasable(version, kept) && version.writtenAt < now - dayMs
}
