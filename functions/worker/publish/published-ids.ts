import type { Latest } from '../../state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../state/snapshots/snapshots.aws.ts'

/** Unique documents of a published snapshot. Without its manifest those of `latest.json`, which may repeat some. */
export async function publishedIdsOf(
  snapshots: Pick<SnapshotStore, 'readManifest'>,
  entity: string,
  { runId, documents }: Latest,
): Promise<number> {
  return (await snapshots.readManifest(entity, runId))?.uniqueIds ?? documents
}

/** Unique documents of the snapshot that is published now; undefined if there is none. */
export async function publishedIds(
  snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest'>,
  entity: string,
): Promise<number | undefined> {
  const latest = await snapshots.readLatest(entity)
  return latest && publishedIdsOf(snapshots, entity, latest.value)
}
