/** An outage is given up sooner than throttling, in which the platform asks to wait. */
export type FailureKind = 'outage' | 'throttled'

/** Consecutive failed requests of an attempt. Stored with the run, since a wait can outlive its worker. */
export interface RetryState {
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
  /** The most recent ones, which are of the same kind. */
  readonly last: { readonly kind: FailureKind; readonly tries: number; readonly since: number }
}
