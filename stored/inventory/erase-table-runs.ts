import type { Log } from '../../functions/runtime/log.ts'
import type { Catalog } from '../glue/catalog.aws.ts'
import { followGlue } from '../glue/follow-glue.ts'
import { runIn, type TableMetadata, withoutSnapshots } from '../iceberg/metadata.ts'
import type { TableLatest } from '../tables/table.ts'
import { glueAfterCommit, metadataKey, runOfTableKey, tablePrefix } from '../tables/table.ts'
import type { TableStore } from '../tables/tables.aws.ts'
import { type ErasureStores, findVersions, isErasable } from './stored-entity.ts'

/** What changes a table, and the clock. */
export interface TablesContext extends Pick<ErasureStores, 'now' | 'checkTime'> {
  readonly tables: TableStore
  /** The Glue database; undefined if there is none. */
  readonly catalog: Catalog | undefined
  readonly log: Log
  /** Names of files, which are used once. */
  readonly uniqueName: () => string
}

type RunsContext = TablesContext & Pick<ErasureStores, 'versions'>

/** Which runs must go at the moment. */
type ReadRuns = () => Promise<(runId: string) => boolean>

/** Deletes every version of what a table has of runs that must go. Returns their number. */
export async function eraseTableRuns(
  context: RunsContext,
  entity: string,
  readRuns: ReadRuns,
): Promise<number> {
  const { tables, versions } = context
  const mustGoFirst = await readRuns()
  // Read after what the table has: a run that was refused long ago may have been accepted and published meanwhile, before
  // its table is made.
  const readStill: ReadRuns = async () => {
    const mustGoNow = await readRuns()
    return (run) => mustGoFirst(run) && mustGoNow(run)
  }
  // Readers no longer find an Iceberg snapshot before its files go.
  await dropRuns(context, entity, readStill)
  const latest = await tables.readLatest(entity)
  const used = new Set(latest ? [latest.value.metadata] : [])
  // A file of metadata may be needed for longer than its run is kept.
  const stored = await findVersions(context, tablePrefix(entity), (version) => isErasable(version, used))
  const mustGo = await readStill()
  const found = stored.filter(({ key }) => {
    const run = runOfTableKey(entity, key)
    return run !== undefined && mustGo(run)
  })
  await versions.deleteVersions(found, context.checkTime)
  return found.length
}

/**
 * Takes the Iceberg snapshots of the runs that must go out of the table. If the current one must go, because tables have
 * failed for long, the table has no rows until the next one is committed.
 */
async function dropRuns(context: TablesContext, entity: string, readRuns: ReadRuns): Promise<void> {
  const { tables, log, now, uniqueName } = context
  for (;;) {
    const read = await tables.readLatest(entity)
    const metadata = read && (await tables.readJson<TableMetadata>(read.value.metadata))
    if (!read || !metadata) return
    const mustGo = await readRuns()
    if (!metadata.snapshots.some((snapshot) => mustGo(runIn(snapshot)))) {
      // A pass that dropped runs may have ended before Glue named what it left.
      if (read.value.glue === null) await followGlue(context, entity)
      return
    }
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
      ...glueAfterCommit(read.value),
      ...(isEmpty && { rows: 0, rejected: {} }),
    }
    if (!(await tables.writeLatest(entity, latest, read))) {
      // The entity was purged meanwhile.
      if (!(await tables.readLatest(entity))) await tables.deleteKeys([key])
      continue
    }
    log(isEmpty ? 'WARN' : 'INFO', 'table trimmed', { entity, runId, isEmpty })
    await followGlue(context, entity)
    return
  }
}
