import { type ChainState, readChainState } from '../../functions/problems/chain-state.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import type { EntityView } from '../../functions/sync-api/views.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

const maxConcurrentReads = 24

/** Whether the change sets of these entities lead to their published snapshots, by the entity's name. */
export async function readChains(
  { bucket, configuration, now }: Pick<Deployment, 'bucket' | 'configuration' | 'now'>,
  views: readonly Pick<EntityView, 'entity' | 'snapshot'>[],
): Promise<(entity: string) => ChainState> {
  const store = createChangeSetStore(bucket, awsClients.bucket())
  const isOff = (name: string) =>
    configuration.entities.some((entity) => entity.name === name && entity.changes === false)
  const states = await mapPooled(views, maxConcurrentReads, async ({ entity, snapshot }) => {
    if (isOff(entity)) return [entity, { kind: 'off' } as const] as const
    const chain = snapshot ? (await store.readLatest(entity))?.value : undefined
    return [entity, await readChainState(store, entity, { snapshot, chain, now: now() })] as const
  })
  const byEntity = new Map<string, ChainState>(states)
  return (entity) => byEntity.get(entity) ?? { kind: 'none' }
}
