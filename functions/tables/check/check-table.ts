import type { Column, ColumnType } from '../../runtime/settings-schema/columns.ts'
import type { CheckedFile, ManifestEntry } from './check-file.ts'
import { compareFacts, type Fact } from './mismatch.ts'
import type { TypedColumn } from './parquet-file.ts'

/** A manifest, as the list of the current snapshot has it. Readers skip it by its counts. */
export interface ListedManifest {
  readonly manifest_path: string
  readonly content: number
  readonly added_files_count: number
  readonly files: readonly { readonly file: ManifestEntry }[]
}

/** What a commit would publish, as it is stored. */
export interface StoredTable {
  /** Of the current schema. */
  readonly fields: readonly { readonly id: number; readonly name: string; readonly type: string }[]
  readonly manifests: readonly ListedManifest[]
  /** The objects of data files by their addresses. */
  readonly objects: ReadonlyMap<string, { readonly bytes: number; readonly etag: string }>
}

export interface ExpectedTable {
  /** As they are configured, and as the files have them. */
  readonly columns: readonly Column[]
  readonly written: readonly TypedColumn[]
  readonly checked: readonly CheckedFile[]
  readonly uniqueIds: number
  /** In hex. A snapshot of an earlier release has none. */
  readonly idSum: string | undefined
}

/** Compares a table with what was checked of its files, and with the snapshot. Throws `TaskFailed`. */
export function checkTable(table: StoredTable, expected: ExpectedTable): void {
  const { checked, columns, written, uniqueIds, idSum } = expected
  const files = checked.filter(({ address }) => address !== null)
  const listed = table.manifests.flatMap((manifest) => manifest.files.map(({ file }) => file))
  const total = (number: (file: CheckedFile) => bigint) => {
    const sum = checked.reduce((before, file) => before + number(file), 0n)
    return BigInt.asUintN(128, sum)
  }
  const schema = table.fields.map(({ id, name, type }) => [id, name, type])
  const facts: Fact[] = [
    ['configured columns in its files', text(written.map(columnOf)), text(columns.map(columnOf))],
    ['field ids', new Set(written.map(({ fieldId }) => fieldId)).size, columns.length],
    ['the schema', text(schema), text(written.map(fieldOf))],
    ...table.manifests.flatMap(({ manifest_path: path, ...manifest }): Fact[] => [
      [`content of ${path} in its list`, manifest.content, 0],
      [`files of ${path} in its list`, manifest.added_files_count, manifest.files.length],
    ]),
    ['data files in its manifests', listed.length, files.length],
    ...files.flatMap((file) => factsOf(listed, table.objects, file)),
    ['rows', total(({ rows }) => BigInt(rows)), BigInt(uniqueIds)],
    ['sum of repeated ids', total(({ repeats }) => BigInt(`0x${repeats}`)), 0n],
  ]
  if (idSum !== undefined && checked.every((file) => file.idSum !== null))
    facts.push(['sum of ids', total((file) => BigInt(`0x${file.idSum}`)), BigInt(`0x${idSum}`)])
  compareFacts('The table', facts)
}

/** A file is the one that was read back, and its manifest has its rows and bytes. */
function factsOf(
  listed: readonly ManifestEntry[],
  objects: StoredTable['objects'],
  { address, rows, bytes, etag }: CheckedFile,
): Fact[] {
  const entry = listed.find(({ file_path }) => file_path === address)
  const object = objects.get(address ?? '')
  return [
    [`rows of ${address} in its manifest`, entry?.record_count, rows],
    [`bytes of ${address} in its manifest`, entry?.file_size_in_bytes, bytes],
    [`bytes of ${address}`, object?.bytes, bytes],
    [`ETag of ${address}`, object?.etag, etag],
  ]
}

const text = (value: object) => JSON.stringify(value)

const columnOf = ({ name, from, type }: Column) => [name, from, type]
const fieldOf = ({ fieldId, name, type }: TypedColumn) => [fieldId, name, fieldType(type)]

/** Iceberg specification, "Primitive Types". */
function fieldType(type: ColumnType): string {
  if (type.kind === 'decimal') return `decimal(${type.precision}, ${type.scale})`
  if (type.kind === 'timestamp') return 'timestamptz'
  return type.kind === 'json' ? 'string' : type.kind
}
