/** An execution of the sync state machine. */
export interface Execution {
  readonly id: string
  readonly startedAt: number
  readonly entity: string
  /** Whether it publishes what a guard refused. */
  readonly accepts: boolean
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED'
  /** The worker's last response. */
  last: Record<string, unknown> | undefined
  endedAt: number | undefined
  /** The worker failed until the state machine gave up. */
  crashed: boolean
  /** A person stopped it without cancelling the run. */
  stoppedByHand: boolean
  /** Step Functions stops calling the worker; a running invocation continues. */
  abort(): void
}
