import {
  deletedManifest,
  type ListedManifest,
  type LiveFile,
  listedManifests,
  liveFiles,
  type ManifestFile,
} from '../../../stored/iceberg/manifests.ts'
import { currentSnapshot, type FileTotals, type TableMetadata } from '../../../stored/iceberg/metadata.ts'
import { deletedManifestKey } from '../../../stored/tables/table.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import type { TableContext } from '../context.ts'
import type { StoredPlan, TableFormat } from '../plan/plan.ts'

type Tables = Pick<TableContext['tables'], 'readObject' | 'writeFile' | 'keyOf' | 'addressOf'>

const maxReads = 20

/** The manifests of a table with their data files; undefined in place of one that is missing. */
export async function currentFiles(
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
