import { eraseTableRuns } from '../../stored/inventory/erase-table-runs.ts'
import { erasureCutoff, readContentLimits } from '../../stored/inventory/stored-entity.ts'
import { icebergPrefix } from '../../stored/tables/table.ts'
import { keptDays } from '../runtime/settings-schema/erasure-days.ts'
import { type ErasedByTask, type ErasureContext, eraseEntities } from '../task/erase-entities.ts'
import type { TableContext } from './context.ts'

/**
 * Deletes every version of a table's file whose content has not been published for as long as `eraseWithinDays` allows,
 * of every entity that has files: even while its tables fail, and after it was removed from the configuration.
 */
export async function eraseTables(context: TableEraseContext): Promise<ErasedByTask> {
  const { versions, log } = context
  const withFiles = new Set(await versions.listFolders(icebergPrefix))
  return eraseEntities({
    ...context,
    erase: async (entity) => (withFiles.has(entity) ? eraseEntity(context, entity) : 0),
    report: (counts) => log('INFO', 'table erasure ended', counts),
  })
}

async function eraseEntity(context: TableEraseContext, entity: string): Promise<number> {
  const { snapshots, now, eraseWithinDays } = context
  const cutoff = erasureCutoff(keptDays(eraseWithinDays), now())
  return eraseTableRuns(
    context,
    entity,
    async () => (await readContentLimits(snapshots, entity, cutoff)).isOld,
  )
}

/** Everything outside the function that the daily task uses. */
type TableEraseContext = Omit<TableContext, 'publishEvent'> & ErasureContext
