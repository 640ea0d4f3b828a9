import { whyNotWithChanges } from '../../functions/state/changes/acceptable-with-snapshot.ts'
import type { StateStore } from '../../functions/state/sync-state.ts'
import { configuredEntity } from '../../functions/sync-api/entities.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { RefusalStores, ReviewedRefusal } from '../review/refusal.ts'

interface Context {
  readonly deployment: { readonly configuration: Pick<Deployment['configuration'], 'entities'> }
  readonly state: Pick<StateStore, 'findRun'>
  readonly stores: Pick<RefusalStores, 'snapshots' | 'changes'>
}

/** Whether one decision can be about a refused snapshot and its change set, since the review shows what both remove. */
export async function isAcceptableWithChanges(
  { deployment, state, stores }: Context,
  { guard, entity, runId }: Pick<ReviewedRefusal, 'guard' | 'entity' | 'runId'>,
): Promise<boolean> {
  if (guard !== 'snapshot') return false
  const run = await state.findRun(entity, runId)
  if (run?.status !== 'refused') return false
  const settings = configuredEntity(deployment.configuration.entities, entity)
  return (await whyNotWithChanges(stores, settings, run)) === undefined
}
