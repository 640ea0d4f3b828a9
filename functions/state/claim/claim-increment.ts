import type { EntityState } from '../entity-items.ts'
import { type Lease, leaseMs } from '../lease.ts'
import type { StateStore } from '../sync-state.ts'
import { needsLease } from './claim.ts'
import { busy, decideIncrementClaim, type IncrementClaimant, type IncrementSkip } from './decisions.ts'

export type IncrementClaim =
  | { readonly kind: 'claimed'; readonly lease: Lease; readonly entityState: EntityState }
  | IncrementSkip

/** Claims the entity's lease for an increment. It is decided on what was read, and written only if it is unchanged. */
export async function claimIncrement(
  state: StateStore,
  entity: string,
  { claimant, now }: { readonly claimant: IncrementClaimant; readonly now: () => number },
): Promise<IncrementClaim> {
  for (;;) {
    const entityState = await state.readEntity(entity)
    const decision = decideIncrementClaim(entityState, claimant, now())
    if (decision === 'look-at-owner') {
      const { lease } = entityState
      const owner = lease && (await state.readRun(entity, lease.runId))
      if (lease && needsLease(lease, owner, now()))
        return busy(lease.runId, `The full sync ${lease.runId} of this entity is in progress.`)
      if (lease) await state.release(entity, lease.runId)
      continue
    }
    if (decision !== 'claim') return decision
    const { runId, worker, starts = false } = claimant
    const lease: Lease = {
      runId,
      worker,
      until: now() + leaseMs,
      handedOff: starts,
      direct: false,
      kind: 'increment',
    }
    if (await state.claimIncrementLease(entity, entityState, lease))
      return { kind: 'claimed', lease, entityState }
    // The write may have taken effect although its response was lost and the client repeated it.
    const written = (await state.readEntity(entity)).lease
    if (written?.worker === worker) return { kind: 'claimed', lease: written, entityState }
  }
}
