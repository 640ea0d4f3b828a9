import { dayMs } from '../../runtime/durations.ts'
import { runIdTime } from '../changes/change-chain.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import type { Latest } from '../snapshots/manifest.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'

/** Runs with smaller ids started so long ago that their content must go, unless it is still published. */
export const erasureCutoff = (keptDays: number, now: number): string => runIdTime(now - keptDays * dayMs)

/** The published snapshot's run, and the run of the snapshot that it replaced. */
export interface PublishedRuns {
  readonly published: string
  readonly previous: string | undefined
}

/** What is published of an entity. */
export interface PublishedEntity {
  readonly latest: Latest
  readonly runs: PublishedRuns
}

/** What must stay although it is old, and how old it may be otherwise. */
export interface Kept {
  readonly kept: readonly string[]
  readonly cutoff: string
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

/** Undefined before the first publication. */
export async function findPublished(
  snapshots: Pick<SnapshotStore, 'readLatest' | 'listRuns' | 'readManifest'>,
  entity: string,
): Promise<PublishedEntity | undefined> {
  const latest = (await snapshots.readLatest(entity))?.value
  if (!latest) return undefined
  const runs = await Array.fromAsync(snapshots.listRuns(entity))
  for (const previous of runs.filter((run) => run < latest.runId).toReversed())
    if (await snapshots.readManifest(entity, previous))
      return { latest, runs: { published: latest.runId, previous } }
  return { latest, runs: { published: latest.runId, previous: undefined } }
}
