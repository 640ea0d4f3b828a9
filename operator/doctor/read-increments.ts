import type { EntityFacts } from '../../functions/problems/facts.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { chainSnapshotRun } from '../../functions/state/changes/changes.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { readChangeDates } from './change-dates.ts'
import type { IncrementFact } from './facts.ts'

const maxConcurrentReads = 24

/** Whether documents have the dates by which increments find them, and whether new readers can begin. */
export async function readIncrements(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<IncrementFact[]> {
  const client = awsClients.bucket()
  const store = createChangeSetStore(bucket, client)
  const snapshots = createSnapshotStore(bucket, client)
  const withIncrements = entities.filter(({ settings }) => settings.increments)
  return mapPooled(withIncrements, maxConcurrentReads, async ({ settings: { name: entity }, state }) => {
    const chain = (await store.readLatest(entity))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const isLost = chainSnapshot && !(await snapshots.hasManifest(entity, chainSnapshot))
    const manifest = state.latest && (await snapshots.readManifest(entity, state.latest.runId))
    const dates = manifest && (await readChangeDates(manifest, snapshots.readPage))
    return { entity, dates, lostSnapshot: isLost ? chainSnapshot : undefined }
  })
}
