import { type TableFacts, tableReasons } from '../../../stored/inventory/table-reasons.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import { describeError } from '../../runtime/log.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { TableContext } from '../context.ts'
import { currentSnapshot, recentlyReplaced, runOf, type TableMetadata } from '../iceberg/metadata.ts'
import { filesOfSnapshot } from './snapshot-files.ts'

type CleanUpContext = Pick<TableContext, 'tables' | 'log' | 'now'>

const maxReads = 10

/** Deletes the files that readers no longer need. If that fails, the next publication repeats it. */
export async function cleanUpTable(context: CleanUpContext, entity: string): Promise<void> {
  const { tables, log, now } = context
  try {
    const facts = await readTableFacts(context, entity)
    if (!facts) return
    const reasons = [...tableReasons(facts, now())]
    const expired = reasons.flatMap(([key, own]) => (own.length === 0 ? [key] : []))
    await tables.deleteKeys(expired)
    if (expired.length > 0) log('INFO', 'table cleaned up', { entity, objects: expired.length })
  } catch (error) {
    log('ERROR', 'clean-up failed', { entity, error: describeError(error) })
  }
}

/** What is stored of a table; undefined if its metadata is gone, so that it is not known what it consists of. */
export async function readTableFacts(
  context: Omit<CleanUpContext, 'log'>,
  entity: string,
): Promise<TableFacts | undefined> {
  const { tables } = context
  const latest = (await tables.readLatest(entity))?.value
  const objects = await Array.fromAsync(tables.listObjects(entity))
  const metadata = latest && (await tables.readJson<TableMetadata>(latest.metadata))
  if (latest && !metadata) return undefined
  const { metadata: key, inGlue = null } = latest ?? {}
  const isBehind = inGlue !== null && key !== undefined && inGlue !== tables.addressOf(key)
  return {
    entity,
    objects,
    latest,
    runs: new Set(metadata?.snapshots.map(runOf)),
    referenced: new Set(latest && metadata ? await referencedKeys(context, latest, metadata) : []),
    inGlue: new Set(isBehind ? await filesInGlue(tables, inGlue) : []),
  }
}

async function referencedKeys(
  { tables, now }: Omit<CleanUpContext, 'log'>,
  { metadata: key }: TableLatest,
  metadata: TableMetadata,
): Promise<readonly string[]> {
  const files = await mapPooled(metadata.snapshots, maxReads, (snapshot) =>
    filesOfSnapshot(tables, tables.keyOf(snapshot['manifest-list'])),
  )
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
