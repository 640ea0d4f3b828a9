import { describeError } from '../../runtime/log.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { ListedObject } from '../../state/objects.aws.ts'
import { runOfTableKey, type TableLatest } from '../../state/tables/table.ts'
import type { TableContext } from '../context.ts'
import { currentSnapshot, recentlyReplaced, runOf, type TableMetadata } from '../iceberg/metadata.ts'
import { maxQueryMs } from '../query-time.ts'
import { isRecent } from './dropped-runs.ts'
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
  { metadata: key, inGlue }: TableLatest,
  metadata: TableMetadata,
): Promise<readonly string[]> {
  const files = await mapPooled(metadata.snapshots, maxReads, (snapshot) =>
    filesOfSnapshot(tables, tables.keyOf(snapshot['manifest-list'])),
  )
  const isBehind = inGlue !== null && inGlue !== tables.addressOf(key)
  if (isBehind) files.push(await filesInGlue(tables, inGlue))
  const replaced = recentlyReplaced(metadata, now()).map((one) => tables.keyOf(one['metadata-file']))
  return [key, ...replaced, ...files.flat()]
}

/** The files of the table as Athena reads it while Glue cannot be updated. Erasure may have deleted some. */
async function filesInGlue(tables: CleanUpContext['tables'], address: string): Promise<readonly string[]> {
  const key = tables.keyOf(address)
  const metadata = await tables.readJson<TableMetadata>(key)
  const list = metadata && currentSnapshot(metadata)?.['manifest-list']
  const listKey = list === undefined ? undefined : tables.keyOf(list)
  const isStored = listKey !== undefined && (await tables.readObject(listKey)) !== undefined
  return isStored ? [key, ...(await filesOfSnapshot(tables, listKey))] : [key]
}

/** What is stored of an entity's table. */
interface TableFiles {
  readonly entity: string
  readonly objects: readonly ListedObject[]
  /** Undefined before the first commit. */
  readonly latest: TableLatest | undefined
  /** The runs whose Iceberg snapshots can be read. */
  readonly runs: ReadonlySet<string>
  /** The files that these snapshots consist of, and the metadata files that readers may have begun with. */
  readonly referenced: ReadonlySet<string>
}

/**
 * The objects that no reader can need: a day after the commit that dropped them, or after the last object of an attempt that
 * was not committed. What was dropped is in `latest.json` for a day. After that, only the age of its objects counts.
 */
function expiredTableObjects(files: TableFiles, now: number): readonly string[] {
  const { entity, objects, latest, runs, referenced } = files
  const dropped = new Set(latest?.dropped.filter((one) => isRecent(one, now)).map(({ runId }) => runId))
  const isOld = ({ writtenAt }: { readonly writtenAt: number }) => writtenAt < now - maxQueryMs
  const byRun = Map.groupBy(objects, ({ key }) => runOfTableKey(entity, key))
  return [...byRun].flatMap(([run, own]) => {
    if (run === undefined || dropped.has(run)) return []
    const expired = runs.has(run) ? own.filter(isOld) : own.every(isOld) ? own : []
    return expired.flatMap(({ key }) => (referenced.has(key) ? [] : [key]))
  })
}
