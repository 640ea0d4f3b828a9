import { stateParts } from '../../functions/chain/state-parts.ts'
import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { chainSnapshotRun } from '../../functions/state/changes/changes-latest.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { type ManifestObject, objectsOfPages } from './checked-objects.ts'

interface ChainStores {
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest'>
  readonly snapshots: Pick<SnapshotStore, 'readManifest'>
}

/**
 * What readers of the change sets and the next comparison need in addition to the published snapshot: withheld documents,
 * increments, and the pages of the chain's snapshot if that is an older one.
 */
export async function objectsOfChain(
  { changes, snapshots }: ChainStores,
  { entity, runId }: Pick<Manifest, 'entity' | 'runId'>,
): Promise<readonly ManifestObject[]> {
  const chain = (await changes.readLatest(entity))?.value
  // The next set starts the chain again.
  if (!chain || chain.reset) return []
  const set = (await changes.readManifest(entity, chain.tip))?.value
  const run = chainSnapshotRun(chain)
  const snapshot = run === runId ? { pages: [] } : await snapshots.readManifest(entity, run)
  if (!set || !snapshot) return []
  return objectsOfPages(stateParts(snapshot, set))
}
