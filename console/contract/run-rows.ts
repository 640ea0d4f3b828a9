export type RunStatus =
  | 'running'
  | 'waiting'
  | 'publishing'
  | 'published'
  | 'refused'
  | 'failed'
  | 'cancelled'
  | 'skipped'

export interface RangeRow {
  readonly where: string
  readonly documents: number
  readonly total: number | null
  readonly attempt: number
  readonly suspect: boolean
}

/** For what and since when a run waits, when it tries again, and when it gives up; null if that is not known. */
export interface CurrentWait {
  readonly for: 'slot' | 'platform'
  readonly since: string
  readonly until: string
  readonly givesUpAt: string | null
}

export interface RunRow {
  readonly runId: string
  readonly entity: string
  readonly kind: 'full' | 'increment'
  readonly status: RunStatus
  readonly startedAt: string
  readonly updatedAt: string
  readonly endedAt: string | null
  /** When a guard refused the run, if it was accepted afterwards. */
  readonly refusedAt: string | null
  readonly documents: number
  readonly total: number | null
  readonly percent: number | null
  readonly pages: number
  readonly attempt: number
  readonly suspect: boolean
  readonly reason: string | null
  /** Null if it does not wait. */
  readonly wait: CurrentWait | null
  readonly faults: Readonly<Record<string, number>>
  readonly documentsPerSecond: number | null
  readonly secondsLeft: number | null
  readonly uniqueIds: number | null
  readonly proof: string | null
  /** Null without partitions. In lists of ended runs the counts of ranges are zero. */
  readonly partitions: readonly RangeRow[] | null
  readonly partitionsReason: string | null
}

/** Newest first. `next` continues after the last one. */
export interface RunsResponse {
  readonly runs: readonly RunRow[]
  readonly next: string | null
}
