/** Who may work on an entity now. It belongs to a run; the worker is the invocation that works on that run. */
export interface Lease {
  readonly runId: string
  readonly worker: string
  /** Epoch milliseconds; from then on the lease is free. */
  readonly until: number
  /** True if the last worker stopped by itself; false while one works, or after it died. */
  readonly handedOff: boolean
  /** True if the run is driven by invocations of the function itself, not by the state machine. */
  readonly direct: boolean
}

/** How long a lease lasts that is not renewed. */
export const leaseMs = 5 * 60_000
