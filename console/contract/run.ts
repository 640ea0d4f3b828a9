import type { StoryNote } from '../../functions/story/notes.ts'
import type { Check, Phase } from '../../functions/story/phases.ts'
import type { LogLine } from '../../operator/sync/line.ts'
import type { RunView } from '../../stored/views.ts'
import type { SetRow } from './change-sets.ts'
import type { RefusedRow } from './review.ts'

export type { Check, Phase, StoryNote }

/** What came of the comparison that follows a publication. */
export type RunComparison =
  | { readonly kind: 'none' | 'pending' | 'missing' }
  /** `refusedAt`: when its guard refused the set. */
  | { readonly kind: 'refused'; readonly refusedAt: string }
  | { readonly kind: 'published'; readonly set: SetRow }

export interface RunResponse {
  readonly run: RunRow
  readonly phases: readonly Phase[]
  readonly notes: readonly StoryNote[]
  /** Also of a run that was refused; null if they are not known. */
  readonly uniqueIds: number | null
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

export interface LogRow extends Pick<LogLine, 'timestamp' | 'level' | 'message'> {
  /** As the command line prints it after the time. */
  readonly text: string
  /** Why the run waited or repeated something; null for other lines. */
  readonly reason: string | null
  /** Who made the decision that the line reports; null for other lines. */
  readonly by: string | null
}

/** The log lines of a run, oldest first. */
export interface LogsResponse {
  readonly lines: readonly LogRow[]
}

export type { RunStatus } from '../../stored/run/run.ts'

/** In lists of ended runs the counts of ranges are zero. */
export type RunRow = RunView
export type RangeRow = NonNullable<RunView['partitions']>[number]

/** Newest first. `next` continues after the last one. */
export interface RunsResponse {
  readonly runs: readonly RunRow[]
  readonly next: string | null
}
