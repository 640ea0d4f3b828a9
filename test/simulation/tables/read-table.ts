import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { readAvroFile } from '../../../stored/iceberg/avro-file.ts'
import { listedManifests } from '../../../stored/iceberg/manifests.ts'
import type { IcebergSnapshot, TableMetadata } from '../../../stored/iceberg/metadata.ts'
import type { TableLatest } from '../../../stored/tables/table.ts'
import type { MemoryS3 } from '../stores/memory-s3.ts'
import { rowText } from './expected-rows.ts'

/** The files of an Iceberg snapshot. */
export interface SnapshotFiles {
  readonly keys: readonly string[]
  readonly dataFiles: readonly string[]
  /** The data files that it no longer has. */
  readonly deleted: readonly string[]
}

interface ManifestEntry {
  readonly status: number
  readonly data_file: { readonly file_path: string }
}

/** Iceberg specification, "Manifest Entry Fields". */
const deletedStatus = 2

/** Throws if the object is missing. */
function bodyOf(s3: MemoryS3, key: string): Buffer {
  const object = s3.objects.get(key)
  if (!object) throw new Error(`${key} is missing`)
  return object.body
}

const keyOf = (address: string) => address.replace(/^s3:\/\/snapshots\//, '')

export const readMetadata = (s3: MemoryS3, key: string): TableMetadata =>
  JSON.parse(bodyOf(s3, key).toString()) as TableMetadata

/** Reads the manifests of an Iceberg snapshot as a reader does. Throws if a file is missing. */
export function readFiles(s3: MemoryS3, snapshot: IcebergSnapshot): SnapshotFiles {
  const list = keyOf(snapshot['manifest-list'])
  const manifests = listedManifests(bodyOf(s3, list)).map(({ manifest_path }) => keyOf(manifest_path))
  const entries = manifests.flatMap((manifest) => readAvroFile<ManifestEntry>(bodyOf(s3, manifest)))
  const [deleted = [], dataFiles = []] = [true, false].map((isDeleted) =>
    entries
      .filter(({ status }) => (status === deletedStatus) === isDeleted)
      .map(({ data_file }) => keyOf(data_file.file_path)),
  )
  for (const file of dataFiles) bodyOf(s3, file)
  return { keys: [list, ...manifests, ...dataFiles], dataFiles, deleted }
}

/** The rows of data files as texts, sorted. */
export async function readRows(
  s3: MemoryS3,
  files: readonly string[],
  columns: TableLatest['columns'],
): Promise<readonly string[]> {
  const rows: string[] = []
  for (const key of files) {
    const body = Uint8Array.from(bodyOf(s3, key))
    const objects = await parquetReadObjects({
      file: body.buffer,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    })
    rows.push(...objects.map((row) => rowText(Object.keys(columns).map((name) => row[name]))))
  }
  return rows.toSorted()
}
