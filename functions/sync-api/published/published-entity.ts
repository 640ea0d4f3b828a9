import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import type { TableStore } from '../../../stored/tables/tables.aws.ts'
import { absentIfUnreadable } from '../../../stored/unreadable-object.ts'
import { pick } from '../../runtime/pick.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { ChangesContext } from './published-changes.ts'

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

/** The last change set of an entity as callers see it. */
export type TipView = NonNullable<Awaited<ReturnType<typeof readPublishedTip>>>

/** Null without change sets, and before the first one. The hash is null if the manifest cannot be read. */
export async function readPublishedTip(
  { changes }: Pick<ChangesContext, 'changes'>,
  { name, changes: settings }: Pick<EntitySettings, 'name' | 'changes'>,
) {
  if (settings === false) return null
  const runId = (await changes.readLatest(name).catch(absentIfUnreadable))?.value.tip
  if (runId === undefined) return null
  const set = await changes.readManifest(name, runId).catch(absentIfUnreadable)
  return { runId, manifest: setManifestKey(name, runId), sha256: set?.sha256 ?? null }
}
