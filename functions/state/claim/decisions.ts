import type { EntityState } from '../entity-items.ts'
import type { Lease } from '../lease.ts'
import { pauseInForce, pauseText } from '../pause.ts'

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
  /** True if its change set is accepted with it. */
  readonly withChanges?: true | undefined
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

/** An increment that claims its entity. */
export interface IncrementClaimant {
  readonly runId: string
  readonly worker: string
  /** True if a caller starts it, so that a worker continues with the lease. */
  readonly starts?: true
  /** True if a schedule starts it, so that a pause stops it. */
  readonly scheduled?: boolean
}

/** `runId` is the run that has the lease; undefined if none has it. */
export interface IncrementSkip {
  readonly kind: 'skip'
  readonly code: 'paused' | 'entity-busy'
  readonly runId: string | undefined
  readonly reason: string
}

/** Whether an increment may begin. It never takes the lease of a full sync, and waits for its last scroll to expire. */
export function decideIncrementClaim(
  state: Pick<EntityState, 'lease' | 'incrementScroll' | 'pause'>,
  { runId, scheduled }: Pick<IncrementClaimant, 'runId' | 'scheduled'>,
  now: number,
): 'claim' | 'look-at-owner' | IncrementSkip {
  const { lease, incrementScroll } = state
  const pause = scheduled ? pauseInForce(state, now) : undefined
  if (pause) return { kind: 'skip', code: 'paused', runId: undefined, reason: pauseText('The entity', pause) }
  if (lease && lease.kind !== 'increment') return 'look-at-owner'
  if (lease && lease.runId !== runId && lease.until > now)
    return busy(lease.runId, `The increment ${lease.runId} is in progress.`)
  if (incrementScroll && incrementScroll.until > now) {
    const until = new Date(incrementScroll.until).toISOString()
    const reason = `The last increment left a scroll open at the platform, which expires at ${until}.`
    return busy(undefined, reason)
  }
  return 'claim'
}

/** An increment that another run of the entity prevents. */
export const busy = (runId: string | undefined, reason: string): IncrementSkip => ({
  kind: 'skip',
  code: 'entity-busy',
  runId,
  reason,
})
