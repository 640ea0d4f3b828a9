import type { TableLatest } from '../../../stored/tables/table.ts'
import type { TableStore } from '../../../stored/tables/tables.aws.ts'
import { pick } from '../../runtime/pick.ts'
import type { EntitySettings } from '../../runtime/settings.ts'

export interface PublishedTableContext {
  readonly tables: Pick<TableStore, 'readLatest'>
}

/** An entity's typed table as callers see it. */
export type TableView = ReturnType<typeof tableView>

/** Null without columns, and before the first table is published. */
export async function readPublishedTable(
  { tables }: PublishedTableContext,
  { name, columns }: Pick<EntitySettings, 'name' | 'columns'>,
): Promise<TableView | null> {
  const stored = columns && (await tables.readLatest(name))
  return stored ? tableView(stored.value) : null
}

const tableView = (table: TableLatest) => pick(table, 'runId', 'rows', 'rejected', 'metadata', 'committedAt')
