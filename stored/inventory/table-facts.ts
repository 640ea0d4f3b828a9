import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { currentSnapshot, recentlyReplaced, runIn, type TableMetadata } from '../iceberg/metadata.ts'
import { filesOfSnapshot } from '../iceberg/snapshot-files.ts'
import type { ListedObject } from '../objects.aws.ts'
import { maxQueryMs } from '../tables/query-time.ts'
import { runOfTableKey, type TableLatest } from '../tables/table.ts'
import type { TableStore } from '../tables/tables.aws.ts'
import { always, type Reason } from './reason.ts'

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

type TableObject = Pick<ListedObject, 'key' | 'writtenAt'>

/** What is stored of an entity's table. */
export interface TableFacts {
  readonly entity: string
  readonly objects: readonly TableObject[]
  /** Undefined before the first commit. */
  readonly latest: TableLatest | undefined
  /** The runs whose Iceberg snapshots can be read. */
  readonly runs: ReadonlySet<string>
  /** The files that these snapshots consist of, and the metadata files that readers may have begun with. */
  readonly referenced: ReadonlySet<string>
  /** The same of the table as Athena reads it while Glue cannot be updated. */
  readonly inGlue: ReadonlySet<string>
}

/**
 * Why each object of a table stays, by its key. No reader can need what was dropped a day after the commit that dropped
 * it, or after the last object of an attempt that was not committed. What was dropped is in `latest.json` for a day.
 * After that, only the age of its objects counts.
 */
export function tableReasons(
  { entity, objects, latest, runs, referenced, inGlue }: TableFacts,
  now: number,
): ReadonlyMap<string, readonly Reason[]> {
  const droppedAt = new Map(latest?.dropped.map(({ runId, at }) => [runId, Date.parse(at)]))
  const byRun = Map.groupBy(objects, ({ key }) => runOfTableKey(entity, key))
  return new Map<string, readonly Reason[]>(
    [...byRun].flatMap(([run, own]) => {
      const writtenLast = Math.max(...own.map(({ writtenAt }) => writtenAt))
      return own.map(({ key, writtenAt }) => {
        if (run === undefined) return [key, [always('pointer')]] as const
        const since = Math.max(droppedAt.get(run) ?? 0, runs.has(run) ? writtenAt : writtenLast)
        const until = since + maxQueryMs
        const reasons: readonly Reason[] = [
          ...(referenced.has(key) ? [always('table')] : []),
          ...(inGlue.has(key) ? [always('in-glue')] : []),
          ...(until >= now ? [{ kind: 'query' as const, until }] : []),
        ]
        return [key, reasons] as const
      })
    }),
  )
}
