import { metadataKey, type TableLatest } from '../../state/tables/table.ts'
import { followGlue } from '../glue/follow-glue.ts'
import { runOf, type TableMetadata, withoutSnapshots } from '../iceberg/metadata.ts'
import type { TableEraseContext } from './context.ts'

/**
 * Takes the Iceberg snapshots of the runs that must go out of the table. If the current one must go, because tables have
 * failed for long, the table has no rows until the next one is committed.
 */
export async function dropRuns(
  context: Pick<TableEraseContext, 'tables' | 'catalog' | 'log' | 'now' | 'uniqueName'>,
  entity: string,
  mustGo: (runId: string) => boolean,
): Promise<void> {
  const { tables, log, now, uniqueName } = context
  for (;;) {
    const read = await tables.readLatest(entity)
    const metadata = read && (await tables.readJson<TableMetadata>(read.value.metadata))
    if (!read || !metadata?.snapshots.some((snapshot) => mustGo(runOf(snapshot)))) return
    const { runId } = read.value
    const address = tables.addressOf(read.value.metadata)
    const version = metadata['last-sequence-number']
    const key = metadataKey(entity, { version, runId, unique: uniqueName() })
    await tables.writeJson(
      key,
      withoutSnapshots({ metadata, address }, (run) => !mustGo(run), now()),
    )
    const isEmpty = mustGo(runId)
    const latest: TableLatest = {
      ...read.value,
      metadata: key,
      glue: null,
      ...(isEmpty && { rows: 0, rejected: {} }),
    }
    if (!(await tables.writeLatest(entity, latest, read))) continue
    log(isEmpty ? 'WARN' : 'INFO', 'table trimmed', { entity, runId, isEmpty })
    await followGlue(context, entity)
    return
  }
}
