import { avroFile, readAvroFile } from './avro-file.ts'
import { manifestEntrySchema, manifestFileSchema } from './manifest-schemas.ts'
import type { TableSchema } from './table-schema.ts'

/** A Parquet file or a manifest that is stored. */
export interface StoredFile {
  /** As Iceberg names it: `s3://bucket/key`. */
  readonly address: string
  readonly bytes: number
}

const formatVersion = '2'
/** Iceberg specification, "Manifest entry": the file was added by the snapshot. */
const added = 1

/** The manifest of one data file. Its sequence number is inherited from the manifest list of the commit. */
export function manifestFile(
  schema: TableSchema,
  {
    snapshotId,
    file,
    rows,
  }: { readonly snapshotId: number; readonly file: StoredFile; readonly rows: number },
): Buffer {
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
    },
  }
  return avroFile(manifestEntrySchema, [entry], {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': formatVersion,
    content: 'data',
  })
}

export interface ListedManifest extends StoredFile {
  readonly rows: number
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
  const entries = manifests.map(({ address, bytes, rows }) => ({
    manifest_path: address,
    manifest_length: bytes,
    partition_spec_id: 0,
    content: 0,
    sequence_number: sequenceNumber,
    min_sequence_number: sequenceNumber,
    added_snapshot_id: snapshotId,
    added_files_count: 1,
    existing_files_count: 0,
    deleted_files_count: 0,
    added_rows_count: rows,
    existing_rows_count: 0,
    deleted_rows_count: 0,
  }))
  return avroFile(manifestFileSchema, entries, {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': String(parentId ?? 'null'),
    'sequence-number': String(sequenceNumber),
    'format-version': formatVersion,
  })
}

/** The addresses of the manifests of a list that `manifestList` wrote. */
export function listedManifests(list: Buffer): readonly string[] {
  const entries = readAvroFile<{ readonly manifest_path: string }>(manifestFileSchema, list)
  return entries.map(({ manifest_path }) => manifest_path)
}
