import type { ListedManifest, LiveFile, ManifestFile } from '../../../stored/iceberg/manifests.ts'
import { deletedManifest, listedManifests, liveFiles } from '../../../stored/iceberg/manifests.ts'
import type { FileTotals, TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { currentSnapshot, runIn } from '../../../stored/iceberg/metadata.ts'
import { isIntact } from '../../../stored/intact.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { deletedManifestKey, type TableLatest } from '../../../stored/tables/table.ts'
import type { Evidence } from '../../publisher/check/evidence.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import { TaskFailed } from '../../task/run.ts'
import { checkTable } from '../check/check-table.ts'
import { compareFacts } from '../check/mismatch.ts'
import type { ChunkResult } from '../chunk/write-chunk.ts'
import type { TableContext, TableSettings } from '../context.ts'
import type { StoredPlan, TableFormat } from '../plan/plan.ts'

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

type Tables = Pick<TableContext['tables'], 'readObject' | 'writeFile' | 'keyOf' | 'addressOf'>

const maxReads = 20

/** The manifests of a table with their data files; undefined in place of one that is missing. */
async function currentFiles(
  { readObject, keyOf }: Tables,
  metadata: TableMetadata | undefined,
): Promise<readonly ((ManifestFile & { readonly files: readonly LiveFile[] }) | undefined)[]> {
  const current = metadata && currentSnapshot(metadata)
  const list = current && (await readObject(keyOf(current['manifest-list'])))
  if (!list) return [undefined]
  return mapPooled(listedManifests(list), maxReads, async (manifest) => {
    const file = await readObject(keyOf(manifest.manifest_path))
    return file && { ...manifest, files: liveFiles(file, manifest.sequence_number) }
  })
}

/** The data files that a commit replaces. What somebody else has deleted is left out: it must not stop later commits. */
export const replacedFiles = async (tables: Tables, metadata: TableMetadata | undefined) =>
  (await currentFiles(tables, metadata)).flatMap((manifest) => manifest?.files ?? [])

export const fileTotals = (files: readonly LiveFile[]): FileTotals => ({
  files: files.length,
  rows: files.reduce((sum, { file }) => sum + file.record_count, 0),
  bytes: files.reduce((sum, { file }) => sum + file.file_size_in_bytes, 0),
})

/** Stores the manifest that lists these files as deleted. There is none without files. */
export async function writeDeleted(
  { writeFile, addressOf }: Tables,
  plan: Pick<StoredPlan, 'entity' | 'runId'> & { readonly format: TableFormat; readonly unique: string },
  replaced: readonly LiveFile[],
): Promise<readonly ListedManifest[]> {
  if (replaced.length === 0) return []
  const { schema, snapshotId } = plan.format
  const body = deletedManifest(schema, snapshotId, replaced)
  const key = deletedManifestKey(plan.entity, plan.runId, plan.unique)
  await writeFile(key, body)
  const { files, rows } = fileTotals(replaced)
  const minSequenceNumber = Math.min(...replaced.map(({ sequenceNumber }) => sequenceNumber))
  return [{ kind: 'deleted', address: addressOf(key), bytes: body.length, files, rows, minSequenceNumber }]
}
