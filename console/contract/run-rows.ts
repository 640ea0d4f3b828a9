import type { RunView } from '../../stored/views.ts'

export type { RunStatus } from '../../stored/run/run.ts'

/** In lists of ended runs the counts of ranges are zero. */
export type RunRow = RunView
export type RangeRow = NonNullable<RunView['partitions']>[number]

/** Newest first. `next` continues after the last one. */
export interface RunsResponse {
  readonly runs: readonly RunRow[]
  readonly next: string | null
}
