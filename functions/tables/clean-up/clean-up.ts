import { describeError } from '../../runtime/log.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { TableLatest } from '../../state/tables/table.ts'
import type { TableContext } from '../context.ts'
import { recentlyReplaced, runOf, type TableMetadata } from '../iceberg/metadata.ts'
import { expiredTableObjects } from './plan-clean-up.ts'
import { filesOfSnapshot } from './snapshot-files.ts'

type CleanUpContext = Pick<TableContext, 'tables' | 'log' | 'now'>

const maxReads = 10

/** Deletes the files that readers no longer need. If that fails, the next publication repeats it. */
export async function cleanUpTable(context: CleanUpContext, entity: string): Promise<void> {
  const { tables, log, now } = context
  try {
    const latest = (await tables.readLatest(entity))?.value
    const objects = await Array.fromAsync(tables.listObjects(entity))
    const metadata = latest && (await tables.readJson<TableMetadata>(latest.metadata))
    // Without its metadata it is not known what the table consists of.
    if (latest && !metadata) return
    const files = {
      entity,
      objects,
      latest,
      runs: new Set(metadata?.snapshots.map(runOf)),
      referenced: new Set(latest && metadata ? await referencedKeys(context, latest, metadata) : []),
    }
    const expired = expiredTableObjects(files, now())
    await tables.deleteKeys(expired)
    if (expired.length > 0) log('INFO', 'table cleaned up', { entity, objects: expired.length })
  } catch (error) {
    log('ERROR', 'clean-up failed', { entity, error: describeError(error) })
  }
}

async function referencedKeys(
  { tables, now }: CleanUpContext,
  { metadata: key }: TableLatest,
  metadata: TableMetadata,
): Promise<readonly string[]> {
  const files = await mapPooled(metadata.snapshots, maxReads, (snapshot) =>
    filesOfSnapshot(tables, tables.keyOf(snapshot['manifest-list'])),
  )
  const replaced = recentlyReplaced(metadata, now()).map((one) => tables.keyOf(one['metadata-file']))
  return [key, ...replaced, ...files.flat()]
}
