import { currentSnapshot, runIn, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { isIntact } from '../../../stored/intact.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import type { Evidence } from '../../publisher/check/evidence.ts'
import { TaskFailed } from '../../task/run.ts'
import { checkTable } from '../check/check-table.ts'
import { compareFacts } from '../check/mismatch.ts'
import type { ChunkResult } from '../chunk/write-chunk.ts'
import type { TableContext, TableSettings } from '../context.ts'
import type { StoredPlan, TableFormat } from '../plan/plan.ts'
import { currentFiles } from './deleted-files.ts'

interface CommittedTable {
  readonly plan: StoredPlan & { readonly format: TableFormat }
  readonly results: readonly ChunkResult[]
  readonly table: TableLatest
  /** The run of the table that it replaces. */
  readonly before: string | undefined
}

/**
 * Checks what a commit would publish, as it is stored. False if something of it, or of the snapshot, was deleted since, as
 * when an entity loses its columns, or if an earlier version wrote a chunk. Throws `TaskFailed`.
 */
export async function readBack(
  { tables, snapshots }: Pick<TableContext, 'tables' | 'snapshots'>,
  { columns = [] }: Pick<TableSettings, 'columns'>,
  { plan: { entity, runId, format }, results, table, before = '' }: CommittedTable,
): Promise<boolean> {
  const checked = results.flatMap((result) => result.checked ?? [])
  const metadata = await tables.readJson<TableMetadata>(table.metadata)
  const manifest = await snapshots.readManifest(entity, runId)
  if (!metadata || !manifest || checked.length < results.length) return false
  const manifests = await currentFiles(tables, metadata)
  const listed = manifests.flatMap((manifest) => manifest ?? [])
  const objects = new Map<string, { readonly bytes: number; readonly etag: string }>()
  for await (const { key, ...object } of tables.listData(entity, runId))
    objects.set(tables.addressOf(key), object)
  const isGone = checked.some(({ address }) => address !== null && !objects.has(address))
  if (isGone || manifests.includes(undefined)) return false
  const schema = metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id'])
  const idSum = await readIdSum(tables, manifest)
  const { uniqueIds } = manifest
  const current = currentSnapshot(metadata)
  compareFacts('The table', [
    ['run of its current snapshot', current && runIn(current), runId],
    ['rows in latest.json', table.rows, uniqueIds],
    ['newest run', before > runId ? before : runId, runId],
  ])
  checkTable(
    { fields: schema?.fields ?? [], manifests: listed, objects },
    { columns, written: format.columns, checked, uniqueIds, idSum },
  )
  return true
}

async function readIdSum(
  { readObject }: Pick<TableContext['tables'], 'readObject'>,
  { evidence }: Manifest,
): Promise<string | undefined> {
  if (!evidence) return undefined
  const stored = await readObject(evidence.key)
  if (!stored || !isIntact(evidence, stored))
    throw new TaskFailed(`${evidence.key} is not what was stored. Start a sync.`)
  return (JSON.parse(stored.toString()) as Evidence).idSum
}
