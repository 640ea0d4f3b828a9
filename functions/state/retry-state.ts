/** Consecutive failed requests of an attempt. Stored with the run, since a wait can outlive its worker. */
export interface RetryState {
  readonly tries: number
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
}
