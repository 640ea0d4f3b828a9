/** A slot that a range of a run has until a time in epoch milliseconds. It is free from then on. */
export interface OwnedSlot {
  readonly runId: string
  readonly range: number
  readonly until: number
}

/** A run that has no slot and waits for its first one. */
export interface WaitingRun {
  readonly runId: string
  readonly until: number
}

/** The slots of one limit: who has one, and who waits for one. */
export interface Slots {
  readonly owners: readonly OwnedSlot[]
  readonly waiting: readonly WaitingRun[]
}
