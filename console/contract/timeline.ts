import type { RunRow } from './run.ts'

export interface TimelineRun extends Pick<RunRow, 'runId' | 'status' | 'startedAt' | 'endedAt'> {
  /** Null while the run is in progress. */
  readonly documents: number | null
}

/** The runs of an entity, oldest first. */
export interface TimelineLane {
  readonly entity: string
  readonly runs: readonly TimelineRun[]
}

export interface TimelineResponse {
  /** Entities in the order of the configuration. */
  readonly entities: readonly string[]
  /** Only what has changed after the revision that was asked for. */
  readonly lanes: readonly TimelineLane[]
  /** When the schedules start the next runs, by entity. */
  readonly next: Readonly<Record<string, string>>
  readonly revision: number
  readonly now: string
}
