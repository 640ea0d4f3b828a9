import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { currentSnapshot, recentlyReplaced, runIn, type TableMetadata } from '../iceberg/metadata.ts'
import { filesOfSnapshot } from '../iceberg/snapshot-files.ts'
import type { TableLatest } from '../tables/table.ts'
import type { TableStore } from '../tables/tables.aws.ts'
import type { TableFacts } from './table-reasons.ts'

type FactsContext = { readonly tables: TableStore; readonly now: () => number }

const maxReads = 10

/** What is stored of a table; undefined if its metadata is gone, so that it is not known what it consists of. */
export async function readTableFacts(context: FactsContext, entity: string): Promise<TableFacts | undefined> {
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
    runs: new Set(metadata?.snapshots.map(runIn)),
    referenced: new Set(latest && metadata ? await referencedKeys(context, latest, metadata) : []),
    inGlue: new Set(isBehind ? await filesInGlue(tables, inGlue) : []),
  }
}

async function referencedKeys(
  { tables, now }: FactsContext,
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
async function filesInGlue(tables: TableStore, address: string): Promise<readonly string[]> {
  const key = tables.keyOf(address)
  const metadata = await tables.readJson<TableMetadata>(key)
  const list = metadata && currentSnapshot(metadata)?.['manifest-list']
  const listKey = list === undefined ? undefined : tables.keyOf(list)
  const isStored = listKey !== undefined && (await tables.readObject(listKey)) !== undefined
  return isStored ? [key, ...(await filesOfSnapshot(tables, listKey))] : [key]
}
