import { tableLatestKey, tablePrefix } from '../state/tables/table.ts'
import type { TableContext, TableSettings } from './context.ts'
import { dropFromGlue } from './glue/follow-glue.ts'

/**
 * Removes the table of an entity that no longer has columns: from Glue, and its files. If Glue refuses, everything
 * stays until the next publication.
 */
export async function removeTable(
  context: Pick<TableContext, 'tables' | 'catalog' | 'log' | 'now'>,
  { name: entity, schemaReport }: Pick<TableSettings, 'name' | 'schemaReport'>,
): Promise<void> {
  const { tables, log } = context
  const keys: string[] = []
  for await (const { key } of tables.listObjects(entity))
    if (!schemaReport || !isWork(entity, key)) keys.push(key)
  if (keys.length === 0 || !(await dropFromGlue(context, entity))) return
  const latest = tableLatestKey(entity)
  // Readers no longer find the table when its files are deleted.
  if (keys.includes(latest)) await tables.deleteKeys([latest])
  await tables.deleteKeys(keys.filter((key) => key !== latest))
  log('INFO', 'table removed', { entity, objects: keys.length })
}

/** Intermediate files of schema reports. */
const isWork = (entity: string, key: string) => key.startsWith(`${tablePrefix(entity)}work/`)
