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
  /** Knows the hour of a date only. */
  | 'coarse'

/** How increments are scheduled next to full syncs, and what goes wrong only for them. */
export interface IncrementTraits {
  /** In a long world: what happens one after the other in place of the schedules. 0 in the other seeds. */
  readonly steps: number
  /** Whether a step is so many increments that their parts are replaced. */
  readonly burst?: boolean
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
  /** How often half of the documents are deleted at once. */
  readonly massDeletes: number
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
  readonly keepDays: 1 | 30
  /** How long nothing happens in the middle, so that sets expire or what was refused is accepted late. */
  readonly quietMs: number
  /** A field changes that change sets ignore. */
  readonly ignores: boolean
  /** How often a person may accept what a guard has refused; 0 if every start accepts it. */
  readonly acceptances: number
  /** How often a person takes a publication back. */
  readonly republications: number
  /** How often a page of a snapshot that a guard has refused is damaged or deleted. */
  readonly damages: number
  /** With it, the seed ends with days of few changes; undefined if nothing is erased. */
  readonly eraseWithinDays: number | undefined
  /** Whether operators pull files and ask for documents as of a time. */
  readonly operators: boolean
  /** Probability that a person cancels an increment. */
  readonly cancels: number
  /** Probability per request that a firewall refuses it with a page of its own, or that a cache responds to it. */
  readonly intermediaries: number
}

/** The same after all faults have stopped. */
export const calmIncrements = (traits: IncrementTraits): IncrementTraits => ({
  ...traits,
  forms: ['usual'],
  lagMs: 0,
  filter: traits.filter === 'coarse' ? 'coarse' : 'honest',
  total: 'right',
  clockMs: 0,
  intermediaries: 0,
})
