import type { EntityState } from '../entity-items.ts'
import { inUse, type Lease, leaseMs, type SnapshotLease } from '../lease.ts'
import { type Pause, pauseInForce } from '../pause.ts'

/** Who claims an entity. */
export type Claimant = SnapshotClaimant | IncrementClaimant

interface Claim {
  /**
   * `start`: the API, for an execution that it is about to start. `step`: a worker that the state machine invoked.
   * `direct`: a worker that was invoked otherwise. It continues the run that it finds, or begins `runId`. Its name
   * starts with the request id, since Lambda retries an asynchronous invocation with the same one.
   */
  readonly kind: 'start' | 'step' | 'direct'
  readonly runId: string
  readonly worker: string
  /** True if a schedule begins the run, so that a pause prevents it. */
  readonly scheduled?: boolean
}

export interface SnapshotClaimant extends Claim {
  readonly for: 'snapshot'
  /** True if the run has ended as refused, and is to be published. */
  readonly accepts?: boolean
  /** True if its change set is accepted with it. */
  readonly withChanges?: true | undefined
}

export interface IncrementClaimant extends Claim {
  readonly for: 'increment'
}

export type ClaimDecision = Begin | Continue | Prevention

/** The entity is free: begin the own run, and settle the abandoned one. */
interface Begin {
  readonly kind: 'begin'
  readonly abandoned: string | undefined
}

/** Continue a run: after a hand-off, or after its last worker crashed. */
interface Continue {
  readonly kind: 'continue'
  readonly runId: string
  readonly after: 'hand-off' | 'crash'
}

/** What prevents a run. */
export type Prevention =
  /** Another run has the lease. */
  | { readonly kind: 'in-progress'; readonly runId: string; readonly of: Claimant['for'] }
  /** Another execution accepts the run, or is about to be started for it. */
  | { readonly kind: 'accepted'; readonly lease: SnapshotLease }
  | { readonly kind: 'paused'; readonly pause: Pause }
  /** The last increment left a scroll open at the platform. `until`: epoch milliseconds. */
  | { readonly kind: 'scroll-open'; readonly until: number }

/** Whether a claimant gets the lease of an entity, by what was read of it. */
export function decideClaim(
  state: Pick<EntityState, 'lease' | 'incrementScroll' | 'pause'>,
  claimant: Claimant,
  now: number,
): ClaimDecision {
  const pause = claimant.scheduled ? pauseInForce(state, now) : undefined
  if (pause) return { kind: 'paused', pause }
  const decision = state.lease ? decideByPriority(state.lease, claimant, now) : begin
  const { until = 0 } = (claimant.for === 'increment' && state.incrementScroll) || {}
  return decision.kind !== 'in-progress' && until > now ? { kind: 'scroll-open', until } : decision
}

const begin: Begin = { kind: 'begin', abandoned: undefined }

/**
 * A run that publishes a snapshot takes the lease of an increment at once: the increment stops after its current
 * request, and nothing of it has to be settled. An increment never takes the lease of such a run, even an expired one.
 */
function decideByPriority(lease: Lease, claimant: Claimant, now: number): ClaimDecision {
  const { runId, handedOff } = lease
  const isOwn = runId === claimant.runId
  const isFree = !inUse(lease, now)
  const inProgress = { kind: 'in-progress', runId, of: lease.kind ?? 'snapshot' } as const
  if (lease.kind === 'increment') return claimant.for === 'snapshot' || isOwn || isFree ? begin : inProgress
  if (claimant.for === 'increment') return inProgress
  if (isOwn && !isFree && isDecided(lease, claimant)) return { kind: 'accepted', lease }
  if (isOwn || continuesDirectly(lease, claimant, isFree ? 'free' : 'owned'))
    return { kind: 'continue', runId, after: handedOff ? 'hand-off' : 'crash' }
  return isFree ? { kind: 'begin', abandoned: runId } : inProgress
}

/** One acceptance starts one execution, and no execution accepts anything else than a person has decided. */
function isDecided({ accepts, withChanges }: SnapshotLease, claimant: SnapshotClaimant): boolean {
  if (!accepts || !claimant.accepts) return false
  return claimant.kind === 'start' || withChanges !== claimant.withChanges
}

function continuesDirectly(lease: Lease, claimant: Claimant, state: 'free' | 'owned'): boolean {
  if (claimant.kind !== 'direct') return false
  if (state === 'free') return true
  return lease.direct && (lease.handedOff || requestOf(lease.worker) === requestOf(claimant.worker))
}

function requestOf(worker: string): string | undefined {
  return worker.split('#')[0]
}

/** The lease of a claimant that gets it. */
export function leaseFor(decision: Begin | Continue, claimant: Claimant, now: number): Lease {
  const { kind, worker } = claimant
  const runId = decision.kind === 'continue' ? decision.runId : claimant.runId
  const core = { runId, worker, until: now + leaseMs, handedOff: kind === 'start' }
  if (claimant.for === 'increment') return { ...core, direct: false, kind: 'increment' }
  const { accepts, withChanges } = claimant
  return { ...core, direct: kind === 'direct', accepts, withChanges }
}
