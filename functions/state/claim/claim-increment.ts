import type { EntityState } from '../entity-items.ts'
import { type Lease, leaseMs } from '../lease.ts'
import type { StateStore } from '../sync-state.ts'
import { needsLease } from './claim.ts'

/** An increment that claims its entity. */
export interface IncrementClaimant {
  readonly runId: string
  readonly worker: string
  /** True if a caller starts it, so that a worker continues with the lease. */
  readonly starts?: true
}

export type IncrementClaim =
  | { readonly kind: 'claimed'; readonly lease: Lease; readonly entityState: EntityState }
  /** `runId` is the run that has the lease; undefined if none has it. */
  | { readonly kind: 'skip'; readonly runId: string | undefined; readonly reason: string }

type Decision = 'claim' | 'look-at-owner' | Extract<IncrementClaim, { kind: 'skip' }>

/** Whether an increment may begin. It never takes the lease of a full sync, and waits for its last scroll to expire. */
export function decideIncrementClaim(
  { lease, incrementScroll }: Pick<EntityState, 'lease' | 'incrementScroll'>,
  { runId }: Pick<IncrementClaimant, 'runId'>,
  now: number,
): Decision {
  if (lease && lease.kind !== 'increment') return 'look-at-owner'
  if (lease && lease.runId !== runId && lease.until > now)
    return { kind: 'skip', runId: lease.runId, reason: `The increment ${lease.runId} is in progress.` }
  if (incrementScroll && incrementScroll.until > now) {
    const until = new Date(incrementScroll.until).toISOString()
    const reason = `The last increment left a scroll open at the platform, which expires at ${until}.`
    return { kind: 'skip', runId: undefined, reason }
  }
  return 'claim'
}

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
        return {
          kind: 'skip',
          runId: lease.runId,
          reason: `The full sync ${lease.runId} of this entity is in progress.`,
        }
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
