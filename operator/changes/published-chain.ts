import { type ChainState, readChainState } from '../../functions/problems/chain-state.ts'
import { openStores } from '../aws/stores.ts'
import type { Deployment } from '../deployment/deployment.ts'

export interface PublishedChain {
  /** The run whose snapshot is published; undefined without one. */
  readonly published: string | undefined
  readonly state: ChainState
}

/** Whether the change sets of one entity lead to its published snapshot. */
export async function readPublishedChain(
  { bucket, now }: Pick<Deployment, 'bucket' | 'now'>,
  entity: string,
): Promise<PublishedChain> {
  const { snapshots, changes } = openStores(bucket)
  const [latest, stored] = await Promise.all([snapshots.readLatest(entity), changes.readLatest(entity)])
  const snapshot = latest?.value ?? null
  const chain = stored?.value
  const state = await readChainState(changes, entity, { snapshot, chain, now: now() })
  // Nothing leads on from the published snapshot until the next one is compared.
  return { published: snapshot?.runId, state: state.kind === 'erased' ? { kind: 'pending' } : state }
}
