/** Tries in a row that brought nothing. Kept with the run, since waits outlive a worker. */
export interface RetryState {
  readonly tries: number
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
}
