import { keptDays } from '../../runtime/settings-schema/erasure-days.ts'
import { eraseVersions } from '../../state/erasure/erase-versions.ts'
import { erasureCutoff, findPublished, isErasable, keptSnapshots } from '../../state/erasure/kept-runs.ts'
import { icebergPrefix, runOfTableKey, tablePrefix } from '../../state/tables/table.ts'
import { type Erased, eraseEntities } from '../../task/erase-entities.ts'
import type { TableEraseContext } from './context.ts'
import { dropRuns } from './drop-runs.ts'

/**
 * Deletes every version of a table's file whose content has not been published for as long as `eraseWithinDays` allows,
 * of every entity that has files: even while its tables fail, and after it was removed from the configuration.
 */
export async function eraseTables(context: TableEraseContext): Promise<Erased> {
  const { versions, log } = context
  return eraseEntities(log, {
    entities: await versions.listFolders(icebergPrefix),
    erase: (entity) => eraseEntity(context, entity),
    report: (counts) => log('INFO', 'table erasure ended', counts),
  })
}

async function eraseEntity(context: TableEraseContext, entity: string): Promise<number> {
  const { snapshots, tables, versions, now, eraseWithinDays } = context
  const cutoff = erasureCutoff(keptDays(eraseWithinDays), now())
  const published = await findPublished(snapshots, entity)
  const kept = keptSnapshots(published?.runs, cutoff)
  const mustGo = (run: string) => run < cutoff && !kept.includes(run)
  // Readers no longer find an Iceberg snapshot before its files go.
  await dropRuns(context, entity, mustGo)
  const latest = await tables.readLatest(entity)
  const used = new Set(latest ? [latest.value.metadata] : [])
  let erased = 0
  for (const folder of ['data', 'work']) {
    const prefix = `${tablePrefix(entity)}${folder}/`
    for (const run of await versions.listFolders(prefix))
      if (mustGo(run)) erased += await eraseVersions(context, `${prefix}${run}/`, () => true)
  }
  const erasedMetadata = await eraseVersions(context, `${tablePrefix(entity)}metadata/`, (version) => {
    const run = runOfTableKey(entity, version.key)
    return run !== undefined && mustGo(run) && isErasable(version, used)
  })
  return erased + erasedMetadata
}
