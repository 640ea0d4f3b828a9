import type { DeliveredVersions, FullSetManifest } from './changes.ts'

/** The content of `changes/<entity>/latest.json`. */
export interface ChangesLatest {
  /** The run of the last set. */
  readonly tip: string
  /** The sets that can be read, oldest first. The last one ends at the tip. */
  readonly sets: readonly SetSummary[]
  /** Whether the event of the last set was sent. */
  readonly announced: boolean
  /** Why the next set is a reset; null if it continues from the tip. */
  readonly reset: string | null
  /** Only once erasure may remove parts of the tip's state, until the next full set: nobody can begin at the tip. */
  readonly erased?: true
  /** Comparisons from the chain's snapshot that failed for a reason that lasts; null if none did. */
  readonly failures: ComparisonFailures | null
  /** Absent if it is the tip's own and no increment has needed to know it. */
  readonly snapshot?: ChainSnapshot
  /** The last successful one; absent before the first. */
  readonly window?: IncrementWindow
  /** The versions that increments delivered and that a later window can return; absent without any. */
  readonly delivered?: DeliveredVersions
  /** What increments had delivered when the chain's snapshot was compared; absent if they had delivered nothing. */
  readonly deliveredBefore?: DeliveredVersions
  /** Only while a comparison is in progress: increments wait for it. */
  readonly comparing?: ComparisonInProgress
}

/** The snapshot at which the chain's last full set ended, as increments need it. */
export interface ChainSnapshot {
  readonly runId: string
  readonly openedAt: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly idField: string
  readonly ignore: readonly string[]
  readonly uniqueIds: number
  /** The run whose snapshot was published again; absent from a snapshot that was scrolled. */
  readonly republishedFrom?: string
}

/** Times are ISO 8601. */
export interface IncrementWindow {
  /** The run of the chain's snapshot at that time. */
  readonly snapshot: string
  /** From here to `to`, windows have covered everything since that snapshot. */
  readonly coveredFrom: string
  readonly from: string
  readonly to: string
}

/** A change set as `latest.json` lists it. */
export type SetSummary = FullSetSummary | IncrementSummary

export interface IncrementSummary {
  readonly runId: string
  readonly base: string
  readonly kind: 'increment'
  readonly records: number
  readonly manifest: string
}

/** A reset counts nothing. */
export interface FullSetSummary {
  readonly runId: string
  readonly base: string | null
  readonly kind: FullSetManifest['kind']
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly manifest: string
  /** As in the set's manifest. */
  readonly absentSince?: string
}

export interface ComparisonInProgress {
  readonly runId: string
  /** The time by which it has certainly ended, in ISO 8601. */
  readonly until: string
}

export interface ComparisonFailures {
  readonly count: number
  /** Times of the first and of the last one. */
  readonly first: string
  readonly last: string
  /** Why the last one failed; unknown of 1.0.0. */
  readonly reason?: string
  readonly kind?: LastingFailure
}

/** An object was damaged or missing, or there were too many changes. */
export type LastingFailure = 'damaged' | 'too-large'
