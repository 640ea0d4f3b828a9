import type { DateForm } from './document-history.ts'

/** How the platform treats the filter by dates. */
export type DateFilter =
  | 'honest'
  | 'ignored'
  | 'ignored-by-scrolls'
  | 'refused'
  | 'refused-by-scrolls'
  /** Finds some that do not match. */
  | 'leaks'

/** How increments are scheduled next to full syncs, and what goes wrong only for them. */
export interface IncrementTraits {
  readonly everyMs: number
  readonly fullEveryMs: number
  /** Whether both schedules are due in the same second. */
  readonly together: boolean
  /** Increments until the faults stop. */
  readonly increments: number
  /** Whether a deployment without increments came before. */
  readonly upgraded: boolean
  /** Changes of documents between two increments, on average. */
  readonly changes: number
  /** Whether half of the documents are deleted at once at some time. */
  readonly deletesHalf: boolean
  readonly forms: readonly DateForm[]
  /** How far the index lags at times. */
  readonly lagMs: number
  readonly filter: DateFilter
  /** Of a scroll with a filter. */
  readonly total: 'right' | 'missing' | 'off'
  /** How far the platform's clock is ahead of ours, or that its responses have no date. */
  readonly clockMs: number | 'none'
  /** Starts by hand and through the API, in place of the schedule. */
  readonly byHand: number
  /** Deployments with other settings, which begin a new chain, or without increments. */
  readonly redeploy: number
  /** If it is 1, nothing happens for three days in the middle, so that the earlier sets expire. */
  readonly keepDays: 1 | 30
  /** A field changes that change sets ignore. */
  readonly ignores: boolean
  /** How often a person may accept what a guard has refused; 0 if every start accepts it. */
  readonly acceptances: number
}

/** The same after all faults have stopped. */
export const calmIncrements = (traits: IncrementTraits): IncrementTraits => ({
  ...traits,
  forms: ['usual'],
  lagMs: 0,
  filter: 'honest',
  total: 'right',
  clockMs: 0,
})
