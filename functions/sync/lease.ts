/** Who may work on an entity now. It belongs to a run; the worker is the invocation that works on that run. */
export interface Lease {
  readonly runId: string
  readonly worker: string
  /** Epoch milliseconds; from then on the lease is free. */
  readonly until: number
  /** True if the last worker stopped by itself; false while one works, or after it died. */
  readonly handedOn: boolean
  /** True if the run is driven by invocations of the function itself, not by the state machine. */
  readonly direct: boolean
}

export interface Claimant {
  /** The run that the claim is for; a direct invocation goes on with the one it finds. */
  readonly runId: string
  readonly direct: boolean
  /** `<request id>#<when>`: Lambda calls again with the same request id what it was to do in the background. */
  readonly worker: string
}

export type Claim =
  /** Nobody works on the entity: begin the own run. `abandoned` is one that was left behind and has to be settled. */
  | { readonly kind: 'take'; readonly abandoned?: string }
  /** Go on with a run where it stopped; not `clean` if its last worker died in the middle of something. */
  | { readonly kind: 'go-on'; readonly runId: string; readonly clean: boolean }
  | { readonly kind: 'skip'; readonly runId: string }

/** How long a lease lasts that is not renewed. */
export const leaseMs = 5 * 60_000

export function decideClaim(lease: Lease | undefined, claimant: Claimant, now: number): Claim {
  if (!lease) return { kind: 'take' }
  const { runId, direct, handedOn } = lease
  const free = lease.until <= now
  const isRetry = direct && requestOf(lease.worker) === requestOf(claimant.worker)
  const goesOn = claimant.direct && (free || (direct && handedOn) || isRetry)
  if (runId === claimant.runId || goesOn) return { kind: 'go-on', runId, clean: handedOn }
  return free ? { kind: 'take', abandoned: runId } : { kind: 'skip', runId }
}

function requestOf(worker: string): string | undefined {
  return worker.split('#')[0]
}
