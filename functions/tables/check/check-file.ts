import type { ColumnType } from '../../runtime/settings-schema/columns.ts'
import { TaskFailed } from '../../task/run.ts'
import { expectedValue, type FileValue } from './expected-value.ts'
import { compareFacts, type Fact, mismatch } from './mismatch.ts'
import type { PagesOfTable, RowDocument, Sample } from './page-documents.ts'
import { documentsOf, hashOf, pagesToRead } from './page-documents.ts'
import type { Bounds, RowGroup, TypedColumn } from './parquet-file.ts'
import { fileValue, rowGroupsOf, signed } from './parquet-file.ts'

/** A map with field ids as keys, as Avro has it. */
type ByFieldId<T> = readonly { readonly key: number; readonly value: T }[] | null

export interface ManifestEntry {
  /** Zero: its rows are those of the table, not deletes. */
  readonly content: number
  readonly file_path: string
  readonly record_count: number
  readonly file_size_in_bytes: number
  readonly value_counts?: ByFieldId<number>
  readonly null_value_counts?: ByFieldId<number>
  readonly lower_bounds?: ByFieldId<Buffer>
  readonly upper_bounds?: ByFieldId<Buffer>
  readonly split_offsets?: readonly number[] | null
}

export interface FileToCheck extends PagesOfTable {
  readonly columns: readonly TypedColumn[]
  /** As stored. Undefined if no line of the pages is a row. */
  readonly file: { readonly bytes: Buffer; readonly etag: string; readonly entry: ManifestEntry } | undefined
  /** What was counted when the file was written. */
  readonly rejected: Readonly<Record<string, number>>
  readonly absent: readonly number[]
  /** Whether all ids are strings, as the file was written. If not, only their documents show what they are. */
  readonly areIdsStrings: boolean
}

/** What a file has, as its documents do. The sums are in hex. */
export interface CheckedFile {
  readonly address: string | null
  readonly etag: string | null
  readonly rows: number
  readonly bytes: number
  /** Null if no column has the ids. */
  readonly idSum: string | null
  readonly repeats: string
}

/**
 * Compares a data file with its manifest and with the documents of its pages: rows, the nulls of each column, and values and
 * bounds of some or all rows. Sums the ids of all rows. Throws `TaskFailed`.
 */
export async function checkFile(
  chunk: FileToCheck,
  readPage: (key: string) => Promise<Uint8Array | undefined>,
  sample: Sample = 'some',
): Promise<CheckedFile> {
  const { file, columns, pages, superseded, idField } = chunk
  const { entry, bytes = Buffer.alloc(0), etag = null } = file ?? {}
  const name = entry?.file_path ?? `The file of ${pages[0]?.key}`
  const groups = file ? await readable(name, () => rowGroupsOf(name, bytes, columns)) : []
  const rows = groups.reduce((sum, group) => sum + group.rows, 0)
  const documentCount = pages.reduce((sum, { documents }) => sum + documents, -superseded.length)
  const offsets = groups.map(({ at }) => at).join()
  compareFacts(name, [
    ['rows', rows, documentCount],
    ['rows in its manifest', entry?.record_count ?? 0, rows],
    ['bytes in its manifest', entry?.file_size_in_bytes ?? 0, bytes.length],
    ['content in its manifest', entry?.content ?? 0, 0],
    ['row groups in its manifest', entry?.split_offsets?.join() ?? offsets, offsets],
    ...columns.flatMap((_, index) => columnFacts(chunk, groups, index)),
  ])
  const sums = { ids: 0n, repeats: 0n }
  const ids = columns.findIndex(
    ({ from, type }) => from.length === 1 && from[0] === idField && type.kind === 'string' && !type.hash,
  )
  const isPartly = sample === 'some' && (ids < 0 || chunk.areIdsStrings)
  const read = isPartly ? pagesToRead(chunk) : new Set(pages.keys())
  const documents = documentsOf(chunk, { readPage, sums, read, sample })
  const listed = columns.map((column) => boundsOf(entry, column))
  let row = 0
  for (const group of groups)
    for (const values of await readable(name, group.read)) {
      const { value: document, done } = await documents.next()
      compareFacts(name, [['rows', rows, done ? row : rows]])
      row++
      if (!document && ids >= 0) sums.ids += BigInt(hashOf(JSON.stringify(values[ids] ?? null)))
      for (const [index, column] of document ? columns.entries() : []) {
        const value = fileValue(values[index], column.type)
        const place = `${name} has in row ${row}`
        if (document?.sample?.gives(column, value) === false || (index === ids && !isId(document, value)))
          throw mismatch(`${place} another ${column.name} than its document.`)
        if (!document?.sample || value === null) continue
        const isFound =
          contains(listed[index], value) && contains(group.bounds[index], rounded(value, column.type))
        if (!isFound) throw mismatch(`${place} a ${column.name} outside of the column's bounds.`)
      }
    }
  // Lines that are no rows may follow.
  const { done } = await documents.next()
  compareFacts(name, [['rows', rows, done ? rows : rows + 1]])
  const idSum = ids >= 0 || read.size === pages.length ? hex(sums.ids) : null
  const address = entry?.file_path ?? null
  return { address, etag, rows, bytes: bytes.length, idSum, repeats: hex(sums.repeats) }
}

/** An error of the Parquet reader is no failure of AWS: to repeat it does not help. */
async function readable<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof TaskFailed ? error : mismatch(`${name} cannot be read: ${String(error)}.`)
  }
}

/** Nulls are the documents without a value and the values that were rejected. Readers skip a file by its manifest. */
function columnFacts(chunk: FileToCheck, groups: readonly RowGroup[], index: number): Fact[] {
  const { columns, absent, rejected, file } = chunk
  const { name = '', fieldId } = columns[index] ?? {}
  const needed = (absent[index] ?? 0) + (Object.hasOwn(rejected, name) ? (rejected[name] ?? 0) : 0)
  const nulls = groups.reduce((sum, group) => sum + (group.nulls[index] ?? 0), 0)
  const rows = groups.reduce((sum, group) => sum + group.rows, 0)
  const listed = (counts: ByFieldId<number> | undefined, otherwise: number) =>
    counts?.find(({ key }) => key === fieldId)?.value ?? otherwise
  return [
    [`nulls of ${name}`, nulls, needed],
    [`nulls of ${name} in its manifest`, listed(file?.entry.null_value_counts, 0), needed],
    [`values of ${name} in its manifest`, listed(file?.entry.value_counts, rows), rows],
  ]
}

function boundsOf(entry: ManifestEntry | undefined, { type, fieldId }: TypedColumn): Bounds {
  const [lower, upper] = [entry?.lower_bounds, entry?.upper_bounds].map((bounds) => {
    const bytes = bounds?.find(({ key }) => key === fieldId)?.value
    return bytes && boundOf(bytes, type)
  })
  return { lower, upper }
}

/** Whether a column of texts has the id of a document. */
const isId = (document: RowDocument | undefined, value: FileValue | null): boolean =>
  document?.id === undefined || (expectedValue(document.id, { kind: 'string' }) ?? null) === value

const hex = (sum: bigint): string => BigInt.asUintN(128, sum).toString(16)

const contains = ({ lower, upper }: Partial<Bounds> = {}, value: FileValue): boolean =>
  (lower === undefined || !isLess(value, lower)) && (upper === undefined || !isLess(upper, value))

/** Texts are in the order of their bytes. */
const isLess = (one: FileValue, other: FileValue): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
    : one < other

/** As the footer's bounds of decimals are read: rounding does not change the order. */
const rounded = (value: FileValue, type: ColumnType): FileValue =>
  type.kind === 'decimal' ? Number(value) * 10 ** -type.scale : value

/** A bound of a manifest (Iceberg specification, "Binary single-value serialization"). */
function boundOf(bytes: Buffer, { kind }: ColumnType): FileValue {
  if (kind === 'boolean') return bytes[0] === 1
  if (kind === 'int' || kind === 'date') return bytes.readInt32LE()
  if (kind === 'long' || kind === 'timestamp') return bytes.readBigInt64LE()
  if (kind === 'double') return bytes.readDoubleLE()
  return kind === 'decimal' ? signed(bytes) : bytes.toString()
}
