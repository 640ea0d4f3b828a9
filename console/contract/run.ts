import type { SetRow } from './change-sets.ts'
import type { RefusedRow } from './review.ts'
import type { RunRow } from './run-rows.ts'

export interface StoryLine {
  readonly level: 'info' | 'good' | 'warning' | 'problem'
  readonly text: string
}

/** What came of the comparison that follows a publication. */
export type RunComparison =
  | { readonly kind: 'none' | 'pending' | 'missing' }
  /** `refusedAt`: when its guard refused the set. */
  | { readonly kind: 'refused'; readonly refusedAt: string }
  | { readonly kind: 'published'; readonly set: SetRow }

/** What showed that the snapshot is complete. */
export interface ProofRow {
  readonly proof: string
  readonly uniqueIds: number
  /** Null if the platform reported none. */
  readonly total: number | null
}

/** What the guards decided on. */
export interface GuardsRow {
  readonly uniqueIds: number
  /** Of the snapshot that was published then; null if there was none. */
  readonly publishedIds: number | null
  readonly maxShrinkPercent: number
  readonly allowEmpty: boolean
  /** Whether the run was started to publish a smaller snapshot too. */
  readonly acceptShrink: boolean
  /** The configuration key of the guard that refused the snapshot; null if none did. */
  readonly refusedBy: string | null
  /** Who published the snapshot although a guard had refused it; null if nobody did. */
  readonly acceptedBy: string | null
}

/** What divides a run into phases, in addition to what its row contains. Null where it is not known. */
export interface Milestones {
  /** When the current attempt began: after its ranges were planned, or after earlier attempts. */
  readonly attemptStartedAt: string | null
  readonly provenAt: string | null
  readonly proof: ProofRow | null
  readonly guards: GuardsRow | null
  /** The run whose snapshot this one published again. */
  readonly republishedFrom: string | null
}

export interface RunResponse {
  readonly run: RunRow
  readonly milestones: Milestones
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

/** When the responses of the current attempts arrived. Times are null before the first one, or once they have expired. */
export interface SpeedResponse {
  readonly firstPageAt: string | null
  readonly lastPageAt: string | null
  /** Whether the platform has sent everything, whatever the proof says. */
  readonly hasScrolled: boolean
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
  /** How long it then waited; null for other lines. */
  readonly waitSeconds: number | null
}

/** The log lines of a run, oldest first. */
export interface LogsResponse {
  readonly lines: readonly LogRow[]
}
