import type { EntityState } from '../entity-items.ts'
import { mayHaveExpired } from '../item-expiry.ts'
import { inUse, isSnapshotLease, type Lease } from '../lease.ts'
import { hasEnded, type Run } from '../run/run.ts'
import { timeOfRunId } from '../run/run-id.ts'
import type { StateStore } from '../sync-state.ts'
import { type Claimant, type ClaimDecision, decideClaim, leaseFor, type Prevention } from './decisions.ts'

export interface ClaimedEntity {
  readonly kind: 'claimed'
  readonly lease: Lease
  readonly decision: Exclude<ClaimDecision, Prevention>
  /** Runs of the entity whose workers are gone, to be settled by the next run that publishes a snapshot. */
  readonly abandonedRuns: readonly string[]
  readonly entityState: EntityState
}

interface Claiming {
  /** Or who claims an entity of which this was read. */
  readonly claimant: Claimant | ((read: EntityState) => Claimant)
  readonly now: () => number
}

/** Claims the entity's lease. It is decided on what was read, and written only if it is unchanged. */
export async function claimEntity(
  state: StateStore,
  entity: string,
  { claimant: claiming, now }: Claiming,
): Promise<ClaimedEntity | Prevention> {
  for (;;) {
    const entityState = await state.readEntity(entity)
    const claimant = typeof claiming === 'function' ? claiming(entityState) : claiming
    const { lease: seen, abandonedRuns: known = [] } = entityState
    const decision = decideClaim(entityState, claimant, now())
    if (decision.kind === 'paused') return decision
    if (isSnapshotLease(seen) && seen.runId !== claimant.runId) {
      const owner = await state.readRun(entity, seen.runId)
      if (!needsLease(seen, owner, now())) {
        await state.release(entity, seen.runId, seen)
        continue
      }
    }
    if (decision.kind !== 'begin' && decision.kind !== 'continue') return decision
    const lease = leaseFor(decision, claimant, now())
    const abandonedRuns =
      decision.kind === 'begin' && decision.abandoned ? [...known, decision.abandoned] : known
    const claimed = { kind: 'claimed', decision, abandonedRuns, entityState } as const
    if (await state.claimLease(entity, entityState, { lease, abandonedRuns })) return { ...claimed, lease }
    // The write may have taken effect although its response was lost and the client repeated it.
    const written = (await state.readEntity(entity)).lease
    if (written?.worker === claimant.worker) return { ...claimed, lease: written }
  }
}

/**
 * A run that has ended, or whose item has expired, needs none: its worker crashed before it released it. One that a
 * person accepts needs it until its snapshot is published.
 */
export function needsLease(lease: Lease, owner: Run | undefined, now: number): boolean {
  if (!owner) return !mayHaveExpired(timeOfRunId(lease.runId), now)
  if (!hasEnded(owner)) return true
  return owner.status !== 'published' && isSnapshotLease(lease) && lease.accepts === true && inUse(lease, now)
}
