import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { chainSnapshotRun, type IncrementAudit } from '../../functions/state/changes/changes.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { EntityFact, IncrementFact } from './facts.ts'

const maxConcurrentReads = 24

/** What is known of increments, and what the last full sets counted that they had missed. */
export async function readIncrements(
  { bucket }: { readonly bucket: string },
  entities: readonly EntityFact[],
): Promise<IncrementFact[]> {
  const store = createChangeSetStore(bucket, awsClients.bucket())
  const facts = await mapPooled(entities, maxConcurrentReads, async ({ entity, increments, snapshot }) => {
    if (!increments) return []
    const chain = (await store.readLatest(entity))?.value
    const set = chain && (await store.readManifest(entity, chainSnapshotRun(chain)))?.value
    const audit: IncrementAudit = set?.kind === 'changes' ? set : {}
    return [{ entity, increments, publishedAt: snapshot?.publishedAt, audit }]
  })
  return facts.flat()
}
