import type { SetRow } from './change-sets.ts'
import type { RefusedRow } from './review.ts'
import type { RunRow } from './run-rows.ts'

export interface StoryLine {
  readonly level: 'info' | 'good' | 'warning' | 'problem'
  readonly text: string
}

/** What came of the comparison that follows a publication. */
export type RunComparison =
  | { readonly kind: 'none' | 'pending' | 'missing' | 'refused' }
  | { readonly kind: 'published'; readonly set: SetRow }

export interface RunResponse {
  readonly run: RunRow
  readonly story: readonly StoryLine[]
  readonly requests: number
  readonly receivedBytes: number
  /** What a guard refused and a person can accept; null if nothing waits. */
  readonly refused: RefusedRow | null
  /** The execution in the AWS console; null without one. */
  readonly executionUrl: string | null
  readonly logsCommand: string
  readonly comparison: RunComparison
  readonly now: string
}

export interface SpeedPoint {
  readonly at: string
  readonly pagesPerSecond: number
}

/** When the pages of a run arrived. Times are null before the first one, or if they cannot be known any more. */
export interface SpeedResponse {
  readonly firstPageAt: string | null
  readonly lastPageAt: string | null
  /** In equal periods, oldest first; null if the run has too many pages to read. */
  readonly speed: readonly SpeedPoint[] | null
}

export interface LogRow {
  readonly timestamp: string
  readonly level: string
  readonly message: string
  /** As the command line prints it. */
  readonly text: string
  /** Why the run waited or repeated something; null for other lines. */
  readonly reason: string | null
}

/** The log lines of a run, oldest first. */
export interface LogsResponse {
  readonly lines: readonly LogRow[]
}
