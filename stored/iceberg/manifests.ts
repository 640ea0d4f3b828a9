import { avroFile, readAvroFile } from './avro-file.ts'
import { manifestEntrySchema, manifestFileSchema } from './manifest-schemas.ts'
import type { TableSchema } from './table-schema.ts'

export interface StoredFile {
  /** As Iceberg names it: `s3://bucket/key`. */
  readonly address: string
  readonly bytes: number
}

/** A map with field ids as keys, as Avro has it. */
type ByFieldId<T> = readonly { readonly key: number; readonly value: T }[]

/** What readers skip files by (Iceberg specification, "Data File Fields"). */
export interface ColumnMetrics {
  readonly column_sizes: ByFieldId<number>
  readonly value_counts: ByFieldId<number>
  readonly null_value_counts: ByFieldId<number>
  readonly lower_bounds: ByFieldId<Buffer>
  readonly upper_bounds: ByFieldId<Buffer>
  /** Where the row groups begin. */
  readonly split_offsets: readonly number[]
}

const formatVersion = '2'
/** Iceberg specification, "Manifest Entry Fields". */
const added = 1
const deleted = 2

/** Earlier versions wrote none. */
type OptionalMetrics = { readonly [name in keyof ColumnMetrics]?: ColumnMetrics[name] | null }

interface DataFile extends OptionalMetrics {
  readonly content: number
  readonly file_path: string
  readonly record_count: number
  readonly file_size_in_bytes: number
}

interface ManifestEntry {
  readonly status: number
  readonly snapshot_id: number
  /** Null if the entry has that of its manifest in the manifest list. */
  readonly sequence_number: number | null
  readonly file_sequence_number: number | null
  readonly data_file: DataFile
}

interface AddedFile {
  readonly snapshotId: number
  readonly file: StoredFile
  readonly rows: number
  readonly metrics: ColumnMetrics
}

/** The manifest of one data file. Its sequence number is inherited from the manifest list of the commit. */
export function manifestFile(schema: TableSchema, { snapshotId, file, rows, metrics }: AddedFile): Buffer {
  const entry = {
    status: added,
    snapshot_id: snapshotId,
    sequence_number: null,
    file_sequence_number: null,
    data_file: {
      content: 0,
      file_path: file.address,
      file_format: 'PARQUET',
      partition: {},
      record_count: rows,
      file_size_in_bytes: file.bytes,
      ...metrics,
    },
  }
  return manifest(schema, [entry])
}

const manifest = (schema: TableSchema, entries: readonly ManifestEntry[]) =>
  avroFile(manifestEntrySchema, entries, {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': formatVersion,
    content: 'data',
  })

/** A data file that a snapshot has. */
export interface LiveFile {
  readonly sequenceNumber: number
  readonly file: DataFile
}

/** The data files of a manifest that is listed with this sequence number. */
export const liveFiles = (file: Buffer, listedNumber: number): readonly LiveFile[] =>
  readAvroFile<ManifestEntry>(file).flatMap(({ status, data_file }) =>
    status === deleted ? [] : [{ sequenceNumber: listedNumber, file: data_file }],
  )

/** The manifest of files that a snapshot no longer has (Iceberg specification, "Manifest Entry Fields"). */
export function deletedManifest(schema: TableSchema, snapshotId: number, files: readonly LiveFile[]): Buffer {
  const entries = files.map(({ sequenceNumber, file }) => ({
    status: deleted,
    snapshot_id: snapshotId,
    sequence_number: sequenceNumber,
    // Only the snapshot that added a file lists it as added, and nothing rewrites it.
    file_sequence_number: sequenceNumber,
    // Bounds are values of documents. Here they would outlive the erasure of the snapshot that had these documents.
    data_file: { ...file, lower_bounds: null, upper_bounds: null },
  }))
  return manifest(schema, entries)
}

/** A manifest that a commit adds to its list, with what it adds or deletes. */
export interface ListedManifest extends StoredFile {
  readonly kind: 'added' | 'deleted'
  readonly files: number
  readonly rows: number
  readonly minSequenceNumber: number
}

export interface ListedSnapshot {
  readonly snapshotId: number
  readonly parentId: number | undefined
  readonly sequenceNumber: number
}

export function manifestList(
  { snapshotId, parentId, sequenceNumber }: ListedSnapshot,
  manifests: readonly ListedManifest[],
): Buffer {
  const entries = manifests.map(({ address, bytes, kind, files, rows, minSequenceNumber }) => {
    const count = (wanted: ListedManifest['kind'], of: number) => (kind === wanted ? of : 0)
    return {
      manifest_path: address,
      manifest_length: bytes,
      partition_spec_id: 0,
      content: 0,
      sequence_number: sequenceNumber,
      min_sequence_number: minSequenceNumber,
      added_snapshot_id: snapshotId,
      added_files_count: count('added', files),
      existing_files_count: 0,
      deleted_files_count: count('deleted', files),
      added_rows_count: count('added', rows),
      existing_rows_count: 0,
      deleted_rows_count: count('deleted', rows),
    }
  })
  return avroFile(manifestFileSchema, entries, {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': String(parentId ?? 'null'),
    'sequence-number': String(sequenceNumber),
    'format-version': formatVersion,
  })
}

export interface ManifestFile {
  readonly manifest_path: string
  readonly manifest_length: number
  readonly sequence_number: number
  readonly content: number
  readonly added_files_count: number
}

/** The manifests of a list that `manifestList` wrote. */
export const listedManifests = (list: Buffer): readonly ManifestFile[] => readAvroFile(list)
