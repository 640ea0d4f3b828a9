import type { SetRow } from './change-sets.ts'
import type { RunRow } from './run-rows.ts'

/** The age of a published snapshot compared with the limit that the schedule sets. */
export type Freshness =
  | { readonly kind: 'fresh' | 'stale'; readonly ageMs: number; readonly maxAgeMs: number }
  /** The schedule sets no age limit, or there is no schedule. */
  | { readonly kind: 'unscheduled'; readonly ageMs: number }
  | { readonly kind: 'never' }

/** What the schedule does next. */
export type NextRun =
  | { readonly kind: 'run'; readonly at: string }
  /** `until`: absent if nothing is known to end it. */
  | { readonly kind: 'paused'; readonly until?: string }
  | { readonly kind: 'none' | 'unknown' }

export interface SnapshotRow {
  readonly runId: string
  readonly publishedAt: string
  readonly documents: number
}

/** The last change set of an entity. */
export type ChangesRow =
  | { readonly kind: 'off' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'last'
      readonly set: SetRow
      /** False if the published snapshot has no change set: it is being compared, or was refused or failed. */
      readonly isCurrent: boolean
    }

/** How far the increments of an entity have come. */
export interface IncrementsRow {
  readonly schedule: string
  /** When the last window that was read completely ended; null before the first. */
  readonly windowEnd: string | null
  readonly recordsLastDay: number
  /** Why the last one did not end well; null if it did. */
  readonly reason: string | null
}

/** What needs a person, or what a person may want to know (`note`). */
export interface ProblemRow {
  /** Words that are joined by hyphens, such as `run-refused`. */
  readonly kind: string
  readonly level: 'problem' | 'note'
  /** Empty if it concerns the deployment as a whole. */
  readonly entities: readonly string[]
  /** Null if that is not known. */
  readonly since: string | null
  /** Null in an export: it may name what is in the account. */
  readonly details: {
    readonly evidence: string
    readonly action: string
    /** A command line for this deployment; null where none helps. */
    readonly command: string | null
    /** The run that the command is about; null without one. */
    readonly runId: string | null
  } | null
}

export interface EntityRow {
  readonly entity: string
  readonly schedule: string
  readonly timezone: string
  readonly enabled: boolean
  readonly next: NextRun
  readonly freshness: Freshness
  readonly snapshot: SnapshotRow | null
  /** Of the published snapshot; null if its run has expired. */
  readonly proof: string | null
  readonly changes: ChangesRow
  /** Null without increments. */
  readonly increments: IncrementsRow | null
  readonly running: RunRow | null
  /** The last run that has ended and was not skipped. */
  readonly lastRun: RunRow | null
  /** Documents of the last published snapshots, oldest first. */
  readonly trend: readonly number[]
  readonly problems: readonly ProblemRow[]
}

export interface OverviewResponse {
  readonly name: string
  readonly place: string
  readonly now: string
  /** Of all entities and of the deployment, the most urgent first; many of a kind are one. */
  readonly problems: readonly ProblemRow[]
  readonly entities: readonly EntityRow[]
}

export interface EntityResponse {
  readonly row: EntityRow
  /** Oldest first. */
  readonly sets: readonly SetRow[]
  readonly now: string
}
