/** Whether the platform answers too little or asks to wait: the one is given up sooner than the other. */
export type FailureKind = 'outage' | 'throttled'

/** Consecutive failed requests of an attempt. Stored with the run, since a wait can outlive its worker. */
export interface RetryState {
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
  /** The last of them, which are of one kind. */
  readonly last: { readonly kind: FailureKind; readonly tries: number; readonly since: number }
}
