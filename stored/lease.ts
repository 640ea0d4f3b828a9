/** Who may work on an entity. A lease belongs to a run; the worker is the invocation that works on that run. */
export type Lease = SnapshotLease | IncrementLease

interface LeaseCore {
  readonly runId: string
  readonly worker: string
  /** Epoch milliseconds. The lease is free from then on. */
  readonly until: number
  /** True if the last worker handed off; false while a worker runs, and after one crashed. */
  readonly handedOff: boolean
}

/** The lease of a run that publishes a snapshot. */
export interface SnapshotLease extends LeaseCore {
  readonly kind?: never
  /** True if the function is invoked directly, without the state machine. */
  readonly direct: boolean
  /** True if the run was refused and is about to be published; absent from other leases. */
  readonly accepts?: boolean | undefined
  /** True if its change set is accepted with it; absent from other leases. */
  readonly withChanges?: true | undefined
}

/** The lease of an increment, which no other worker continues. */
export interface IncrementLease extends LeaseCore {
  readonly kind: 'increment'
  readonly direct: false
}

export const isSnapshotLease = <L extends Pick<Lease, 'kind'>>(
  lease: L | undefined,
): lease is L & SnapshotLease => lease !== undefined && lease.kind !== 'increment'

/** Whether a lease keeps others from the entity: its worker may still write. */
export const inUse = <L extends Pick<Lease, 'until'>>(lease: L | undefined, now: number): lease is L =>
  lease !== undefined && lease.until > now

/** A lease that is not renewed for this long is free. */
export const leaseMs = 5 * 60_000

/** Another worker has the run, or the run has ended: this worker must stop. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
