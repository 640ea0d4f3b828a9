import type { EntityState } from '../entity-items.ts'
import { mayHaveExpired } from '../item-expiry.ts'
import { type Lease, leaseMs } from '../lease.ts'
import { hasEnded, type Run, timeOfRunId } from '../run/run.ts'
import type { StateStore } from '../sync-state.ts'

/** Who claims an entity. */
export type Claimant =
  /** The API, for an execution that it is about to start. */
  | (Claim & { readonly kind: 'start' })
  /** A worker that the state machine invoked. */
  | (Claim & { readonly kind: 'step' })
  /**
   * A worker that was invoked without the state machine. It continues the run that it finds, and begins `runId` if
   * there is none. Its name starts with the request id, since Lambda retries an asynchronous invocation with the same one.
   */
  | (Claim & { readonly kind: 'direct' })

interface Claim {
  readonly runId: string
  readonly worker: string
  /** True if the run has ended as refused, and is to be published. */
  readonly accepts?: boolean
}

export type ClaimDecision =
  /** The entity is free: begin the own run, and settle the abandoned one. */
  | { readonly kind: 'begin'; readonly abandoned: string | undefined }
  /** Continue a run: after a hand-off, or after its last worker crashed. */
  | { readonly kind: 'continue'; readonly runId: string; readonly after: 'hand-off' | 'crash' }
  | { readonly kind: 'skip'; readonly runId: string }

export function decideClaim(lease: Lease | undefined, claimant: Claimant, now: number): ClaimDecision {
  // An increment stops after its current request. Nothing of it has to be settled.
  if (!lease || lease.kind === 'increment') return { kind: 'begin', abandoned: undefined }
  const { runId } = lease
  const isFree = lease.until <= now
  if (runId === claimant.runId || continuesDirectly(lease, claimant, isFree ? 'free' : 'owned')) {
    return { kind: 'continue', runId, after: lease.handedOff ? 'hand-off' : 'crash' }
  }
  return isFree ? { kind: 'begin', abandoned: runId } : { kind: 'skip', runId }
}

function continuesDirectly(lease: Lease, claimant: Claimant, state: 'free' | 'owned'): boolean {
  if (claimant.kind !== 'direct') return false
  if (state === 'free') return true
  return lease.direct && (lease.handedOff || requestOf(lease.worker) === requestOf(claimant.worker))
}

function requestOf(worker: string): string | undefined {
  return worker.split('#')[0]
}

export type Claimed =
  | { readonly kind: 'skip'; readonly runId: string }
  | ({ readonly kind: 'claimed'; readonly lease: Lease } & ClaimedEntity)

export interface ClaimedEntity {
  readonly decision: Exclude<ClaimDecision, { kind: 'skip' }>
  /** Runs of the entity whose workers are gone, to be settled by the owner of the lease. */
  readonly abandonedRuns: readonly string[]
  readonly entityState: EntityState
}

/** Claims the entity's lease. It is decided on what was read, and written only if it is unchanged. */
export async function claimEntity(
  state: StateStore,
  entity: string,
  { claimant, now }: { claimant: Claimant; now: () => number },
): Promise<Claimed> {
  for (;;) {
    const entityState = await state.readEntity(entity)
    const { lease: seen, abandonedRuns: known = [] } = entityState
    const decision = decideClaim(seen, claimant, now())
    if (seen && seen.kind !== 'increment' && seen.runId !== claimant.runId) {
      const owner = await state.readRun(entity, seen.runId)
      if (!needsLease(seen, owner, now())) {
        await state.release(entity, seen.runId)
        continue
      }
    }
    if (decision.kind === 'skip') return decision
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

/** A run that has ended, or whose item has expired, needs none: its worker crashed before it released it. */
export function needsLease({ runId, accepts, until }: Lease, owner: Run | undefined, now: number): boolean {
  if (!owner) return !mayHaveExpired(timeOfRunId(runId), now)
  return !hasEnded(owner) || (accepts === true && until > now)
}

function leaseFor(decision: ClaimDecision, { kind, runId, worker, accepts }: Claimant, now: number): Lease {
  return {
    runId: decision.kind === 'continue' ? decision.runId : runId,
    worker,
    until: now + leaseMs,
    handedOff: kind === 'start',
    direct: kind === 'direct',
    ...(accepts && { accepts }),
  }
}
