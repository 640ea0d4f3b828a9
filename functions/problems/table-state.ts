import type { Latest } from '../../stored/snapshots/manifest.ts'
import type { TableFailure, TableLatest } from '../../stored/tables/table.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import { hourMs } from '../runtime/durations.ts'
import { pick } from '../runtime/pick.ts'

/** Whether the table of an entity matches its published snapshot. */
export type TableState =
  /** `off`: the entity has no columns. `none`: there is no snapshot yet. `pending`: the table is being made. */
  { readonly kind: 'off' | 'none' | 'current' | 'pending' } | BehindTable | UnlistedTable

/** The snapshot of the run `runId` has no table: the published one, or the last one whose table failed. */
export interface BehindTable {
  readonly kind: 'behind'
  readonly runId: string
  /** The run of the table that readers find; null without one. */
  readonly tableRun: string | null
  /** ISO 8601. */
  readonly since: string
  /** Null if only the table is missing. */
  readonly reason: string | null
}

/** The table matches the published snapshot, but Glue could not be updated. */
export interface UnlistedTable {
  readonly kind: 'unlisted'
  readonly runId: string
  /** When the first table was committed that Glue does not have, in ISO 8601. */
  readonly since: string
  /** The name of an AWS error. */
  readonly reason: string
}

/** A table that does not match the published snapshot for all readers. */
export type TableProblem = BehindTable | UnlistedTable

interface Published {
  readonly snapshot: Pick<Latest, 'runId' | 'publishedAt'> | null
  readonly table: Pick<TableLatest, 'runId' | 'glue'> | undefined
  readonly failure: TableFailure | undefined
  readonly now: number
}

/** Longer than the attempts of all chunks of a large entity take. */
const maxTableMs = hourMs

function tableStateOf({ snapshot, table, failure, now }: Published): TableState {
  if (!snapshot) return { kind: 'none' }
  const { runId, publishedAt } = snapshot
  if (table && table.runId >= runId) return committedState(table)
  const behind = { kind: 'behind', runId, tableRun: table?.runId ?? null } as const
  // A newer snapshot tries again: the failure is over with the next table.
  if (failure && failure.runId > (table?.runId ?? ''))
    return { ...behind, ...pick(failure, 'runId', 'reason'), since: failure.since ?? failure.failedAt }
  if (now - Date.parse(publishedAt) < maxTableMs) return { kind: 'pending' }
  return { ...behind, since: publishedAt, reason: null }
}

export interface ReadTable {
  readonly latest: TableLatest | undefined
  readonly state: TableState
}

/** The table of an entity with columns. Why it failed is read only if it matters. */
export async function readTable(
  store: Pick<TableStore, 'readLatest' | 'readFailure'>,
  entity: string,
  { snapshot, now }: Pick<Published, 'snapshot' | 'now'>,
): Promise<ReadTable> {
  const latest = (await store.readLatest(entity))?.value
  const isOlder = snapshot && (!latest || latest.runId < snapshot.runId)
  const failure = isOlder ? await store.readFailure(entity) : undefined
  return { latest, state: tableStateOf({ snapshot, table: latest, failure, now }) }
}

function committedState({ runId, glue }: NonNullable<Published['table']>): TableState {
  if (glue?.state !== 'failed') return { kind: 'current' }
  return { kind: 'unlisted', runId, since: glue.since, reason: glue.reason }
}

export const isBehind = (state: TableState): state is BehindTable => state.kind === 'behind'

export const hasProblem = (state: TableState): state is TableProblem =>
  isBehind(state) || state.kind === 'unlisted'

/** Why the table does not match the published snapshot. */
export function tableText(problem: TableProblem): string {
  const { runId, reason } = problem
  if (problem.kind === 'unlisted')
    return `Glue could not be updated for the table of run ${runId} (${reason}). Athena finds an earlier table or none; readers without a catalog find this one.`
  const { tableRun } = problem
  const found = tableRun === null ? 'There is no table.' : `The table is from run ${tableRun}.`
  return reason === null
    ? `Run ${runId} is published without its table. ${found}`
    : `The table of run ${runId} failed: ${reason} ${found}`
}

/** What has to be done in Glue before another publication can update it, by the name of the error. */
export const glueFixes: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'In Lake Formation, grant access to the database in the stack output TableDatabaseName, and to all its tables, to the role of the function that builds the tables',
  GlueEncryptionException:
    'The Data Catalog is encrypted: let the role of the function that builds the tables use its key (docs/tables.md)',
  EntityNotFoundException: 'Create the Glue database in the stack output TableDatabaseName again',
}
