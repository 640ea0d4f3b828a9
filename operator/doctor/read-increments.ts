import type { EntityFacts } from '../../functions/problems/facts.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { chainSnapshotRun } from '../../functions/state/changes/changes-latest.ts'
import { openStores } from '../aws/stores.ts'
import { readChangeDates } from './change-dates.ts'
import type { IncrementFact } from './facts.ts'

const maxConcurrentReads = 24

/** Whether documents have the dates by which increments find them, and whether new readers can begin. */
export async function readIncrements(
  bucket: string,
  entities: readonly EntityFacts[],
): Promise<IncrementFact[]> {
  const { snapshots, changes } = openStores(bucket)
  const withIncrements = entities.filter(({ settings }) => settings.increments)
  return mapPooled(withIncrements, maxConcurrentReads, async ({ settings: { name: entity }, state }) => {
    const chain = (await changes.readLatest(entity))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const isLost = chainSnapshot && !(await snapshots.hasManifest(entity, chainSnapshot))
    const manifest = state.latest && (await snapshots.readManifest(entity, state.latest.runId))
    const dates = manifest && (await readChangeDates(manifest, snapshots.readPage))
    return { entity, dates, lostSnapshot: isLost ? chainSnapshot : undefined }
  })
}
