import type { TableEvent } from '../../stored/events.ts'
import type { TableLatest } from '../../stored/tables/table.ts'
import type { Ending } from '../task/report.ts'

/** How a task ends. The state machine and direct callers receive it. */
export type TableResult =
  | PlannedTable
  | TableDescription
  /** Another table was committed since the plan was made, or the configuration has changed: plan again. */
  | { readonly status: 'outdated'; readonly entity: string; readonly runId: string }
  /** Nothing to do: the table matches the published snapshot, or is newer. */
  | { readonly status: 'up-to-date'; readonly entity: string; readonly runId: string | null }
  /** The entity has neither columns nor a schema report. */
  | { readonly status: 'off'; readonly entity: string }
  /** The table stays as it was. The next publication makes it whole. */
  | { readonly status: 'failed'; readonly entity: string; readonly runId: string; readonly reason: string }

export interface PlannedTable {
  readonly status: 'planned'
  readonly entity: string
  readonly runId: string
  readonly plan: string
  readonly chunks: readonly number[]
}

/** The table was committed. `metadata` is null for an entity that has only a schema report. */
interface TableDescription extends Pick<TableLatest, 'runId' | 'rows' | 'rejected'> {
  readonly status: 'published'
  readonly entity: string
  readonly metadata: string | null
}

/** How a chunk ends. `name` leads the commit to its files, which are stored. */
export type ChunkOutcome =
  | { readonly status: 'written'; readonly name: string }
  | { readonly status: 'failed'; readonly reason: string }

/** One line for each table that was planned, committed or not made, and an event if it failed. */
export function tableEnding(result: TableResult): Ending<TableEvent> {
  const ending = { level: 'INFO', message: 'table ended', fields: result } as const
  if (result.status === 'planned')
    return { ...ending, message: 'table planned', fields: { ...result, chunks: result.chunks.length } }
  if (result.status !== 'failed') return ending
  const { entity, runId, reason } = result
  return { ...ending, level: 'WARN', event: { type: 'Table Failed', detail: { entity, runId, reason } } }
}
