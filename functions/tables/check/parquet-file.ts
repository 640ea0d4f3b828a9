import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetRead, type SchemaElement } from 'hyparquet'
import type { Column, ColumnType } from '../../runtime/settings-schema/columns.ts'
import type { FileValue } from './expected-value.ts'
import { compareFacts } from './mismatch.ts'

/** A column with the field id that the schema of the table gives it. */
export type TypedColumn = Column & { readonly fieldId: number }

/** Readers skip what is outside of these. */
export interface Bounds {
  readonly lower: FileValue | undefined
  readonly upper: FileValue | undefined
}

/** A row group: its footer by column, and its rows. */
export interface RowGroup {
  readonly nulls: readonly number[]
  /** Those of decimals are rounded. */
  readonly bounds: readonly Bounds[]
  readonly rows: number
  /** The offset of its first byte in the file. */
  readonly at: number
  readonly read: () => Promise<readonly (readonly unknown[])[]>
}

const parsers = {
  dateFromDays: (days: number) => days,
  timestampFromMicroseconds: (microseconds: bigint) => microseconds,
  // The default takes a first U+FEFF for a byte order mark.
  stringFromBytes: (bytes: Uint8Array) => Buffer.from(bytes).toString(),
} as object

/** A Parquet file as a reader finds it. Throws `TaskFailed` if it has other columns. */
export function rowGroupsOf(name: string, bytes: Buffer, columns: readonly TypedColumn[]): RowGroup[] {
  const metadata = parquetMetadata(bytes, { parsers })
  const [found, needed] = [metadata.schema.slice(1).map(elementText), columns.map(columnText)]
  compareFacts(name, [['the columns', found.join(), needed.join()]])
  // Values are read as they are stored: a conversion would round decimals.
  for (const element of metadata.schema) {
    delete element.converted_type
    delete element.logical_type
  }
  const file = Uint8Array.from(bytes).buffer
  const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
  let rowEnd = 0
  return metadata.row_groups.map((group) => {
    const rowStart = rowEnd
    rowEnd += Number(group.num_rows)
    const options = { file, metadata, rowStart, rowEnd, compressors, parsers }
    const statistics = group.columns.map((column) => column.meta_data?.statistics)
    const first = group.columns[0]?.meta_data
    return {
      nulls: statistics.map((one) => Number(one?.null_count)),
      bounds: statistics.map((one) => ({ lower: one?.min_value, upper: one?.max_value }) as Bounds),
      rows: rowEnd - rowStart,
      at: Number(first?.dictionary_page_offset ?? first?.data_page_offset ?? 0),
      read: () =>
        new Promise((onComplete, reject) => {
          parquetRead({ ...options, onComplete }).catch(reject)
        }),
    }
  })
}

/** A value that was read. */
export function fileValue(value: unknown, { kind }: ColumnType): FileValue | null {
  if (value instanceof Uint8Array) return signed(value)
  return kind === 'decimal' && typeof value === 'number' ? BigInt(value) : ((value ?? null) as FileValue)
}

/** An integer in two's complement, the highest byte first. */
export const signed = (bytes: Uint8Array): bigint =>
  BigInt.asIntN(8 * bytes.length, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))

function elementText({ name, field_id: id, type, type_length: length, ...element }: SchemaElement): string {
  const { repetition_type: repetition, converted_type: converted, precision, scale, logical_type } = element
  const parts = [name, id, repetition, type, length, converted, precision, scale]
  return [...parts, ...Object.values(logical_type ?? {})].filter((part) => part !== undefined).join(' ')
}

const columnText = ({ name, fieldId, type }: TypedColumn): string =>
  `${name} ${fieldId} OPTIONAL ${type.kind === 'decimal' ? decimalText(type) : typeTexts[type.kind]}`

/** Iceberg specification, appendix A, "Parquet". */
const typeTexts = {
  string: 'BYTE_ARRAY UTF8 STRING',
  json: 'BYTE_ARRAY UTF8 STRING',
  boolean: 'BOOLEAN',
  int: 'INT32',
  long: 'INT64',
  double: 'DOUBLE',
  date: 'INT32 DATE DATE',
  timestamp: 'INT64 TIMESTAMP_MICROS TIMESTAMP true MICROS',
}

function decimalText({ precision, scale }: Extract<ColumnType, { kind: 'decimal' }>): string {
  const fixed = `FIXED_LEN_BYTE_ARRAY ${Math.ceil((precision * Math.log2(10) + 1) / 8)}`
  const physical = precision <= 9 ? 'INT32' : precision <= 18 ? 'INT64' : fixed
  return `${physical} DECIMAL ${precision} ${scale} DECIMAL ${scale} ${precision}`
}
