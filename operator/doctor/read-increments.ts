import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { chainSnapshotRun, type IncrementAudit } from '../../functions/state/changes/changes.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { readChangeDates } from './change-dates.ts'
import type { EntityFact, IncrementFact } from './facts.ts'

const maxConcurrentReads = 24

/**
 * What is known of increments, what the last full sets counted that they had missed, and whether documents have the
 * dates by which increments find them.
 */
export async function readIncrements(
  { bucket }: { readonly bucket: string },
  entities: readonly EntityFact[],
): Promise<IncrementFact[]> {
  const client = awsClients.bucket()
  const store = createChangeSetStore(bucket, client)
  const snapshots = createSnapshotStore(bucket, client)
  const facts = await mapPooled(entities, maxConcurrentReads, async ({ entity, increments, snapshot }) => {
    if (!increments) return []
    const chain = (await store.readLatest(entity))?.value
    const chainSnapshot = chain && chainSnapshotRun(chain)
    const set = chainSnapshot && (await store.readManifest(entity, chainSnapshot))?.value
    const audit: IncrementAudit = set && set.kind === 'changes' ? set : {}
    const isLost = chainSnapshot && !(await snapshots.hasManifest(entity, chainSnapshot))
    const lostSnapshot = isLost ? chainSnapshot : undefined
    const manifest = snapshot ? await snapshots.readManifest(entity, snapshot.runId) : undefined
    const dates = manifest && (await readChangeDates(manifest, snapshots.readPage))
    return [{ entity, increments, publishedAt: snapshot?.publishedAt, audit, dates, lostSnapshot }]
  })
  return facts.flat()
}
