import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { FileColumn } from '../../../stored/iceberg/table-schema.ts'
import { memberAt } from '../../../stored/schema-report/json-value.ts'
import type { ReportPart } from '../../../stored/schema-report/report-part.ts'
import { SchemaReportBuilder } from '../../../stored/schema-report/schema-report.ts'
import type { Column, ColumnType } from '../../runtime/settings-schema/columns.ts'
import { columnValue, type StoredValue } from '../values/column-value.ts'

const maxRowsOfGroup = 100_000
/** Documents can be large: fewer rows make a group then, since it is in memory as a whole. */
const maxBytesOfGroup = 64 * 1024 * 1024

export type WrittenRowGroup = ParquetWriter['row_groups'][number]

export interface FinishedFile {
  readonly body: Uint8Array
  readonly rows: number
  readonly groups: readonly WrittenRowGroup[]
  /** How many values did not fit a column, for each column that has such values. */
  readonly rejected: Readonly<Record<string, number>>
  /** For each column, the documents that have no value. */
  readonly absent: readonly number[]
  readonly report: ReportPart
}

/** A Parquet file that is being written, with the schema report of its documents. */
export class TableFile {
  readonly #columns: readonly FileColumn[]
  readonly #report = new SchemaReportBuilder()
  readonly #bytes = new ByteWriter()
  readonly #writer: ParquetWriter
  readonly #rejected: number[]
  readonly #absent: number[]
  /** The values of the row group that is being collected, by column. */
  #values: (StoredValue | null)[][] = []
  #rowsOfGroup = 0
  /** Of the values, roughly. */
  #sizeBytes = 0
  #rows = 0

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns
    this.#rejected = columns.map(() => 0)
    this.#absent = columns.map(() => 0)
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: fileSchema(columns),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      createdBy: 'longshore',
    })
  }

  add(document: Buffer): void {
    if (this.#rowsOfGroup === 0) this.#values = this.#columns.map(() => [])
    const { members, jsonAt } = this.#report.add(document)
    for (const [index, { from, type }] of this.#columns.entries()) {
      const value = memberAt(members, from) ?? null
      const stored = value === null ? null : columnValue(value, type, () => jsonAt(from))
      if (stored === null) this.#absent[index] = (this.#absent[index] ?? 0) + 1
      if (stored === undefined) this.#rejected[index] = (this.#rejected[index] ?? 0) + 1
      this.#values[index]?.push(stored ?? null)
      this.#sizeBytes += typeof stored === 'string' ? stored.length : 8
    }
    this.#rows++
    this.#rowsOfGroup++
    if (this.#rowsOfGroup === maxRowsOfGroup || this.#sizeBytes >= maxBytesOfGroup) this.#writeGroup()
  }

  /** Nothing can be added after this. */
  finish(): FinishedFile {
    if (this.#rowsOfGroup > 0) this.#writeGroup()
    // A writer to memory returns no promise.
    void this.#writer.finish()
    const rejected = this.#columns.map(({ name }, index) => [name, this.#rejected[index] ?? 0] as const)
    return {
      body: this.#bytes.getBytes(),
      rows: this.#rows,
      groups: this.#writer.row_groups,
      rejected: Object.fromEntries(rejected.filter(([, count]) => count > 0)),
      absent: this.#absent,
      report: this.#report.finish(),
    }
  }

  #writeGroup(): void {
    const columnData = this.#columns.map(({ name, type }, index) => {
      const data = this.#values[index] ?? []
      return isPlain(type) ? { name, data, encoding: 'PLAIN' as const } : { name, data }
    })
    void this.#writer.write({ columnData, rowGroupSize: this.#rowsOfGroup })
    this.#values = []
    this.#rowsOfGroup = 0
    this.#sizeBytes = 0
  }
}

/**
 * Which columns have no dictionary: that of the library takes -0 for 0, and it searches long decimals by hashes that values
 * can be chosen for. Not every reader knows the run lengths that it writes for booleans.
 */
function isPlain(type: ColumnType): boolean {
  if (type.kind === 'decimal') return decimalStorage(type.precision).type === 'FIXED_LEN_BYTE_ARRAY'
  return type.kind === 'double' || type.kind === 'boolean'
}

/** The columns as the schema of a Parquet file: every one is optional. */
const fileSchema = (columns: readonly FileColumn[]): SchemaElement[] => [
  { name: 'table', num_children: columns.length },
  ...columns.map(columnSchema),
]

export function columnSchema({ name, fieldId, type }: FileColumn): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', field_id: fieldId, ...physicalType(type) }
}

/** How Parquet stores the decimals of a precision (Iceberg specification, appendix A). */
function decimalStorage(precision: number): Pick<SchemaElement, 'type' | 'type_length'> {
  if (precision <= 9) return { type: 'INT32' }
  if (precision <= 18) return { type: 'INT64' }
  const bits = (10n ** BigInt(precision)).toString(2).length + 1
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: Math.ceil(bits / 8) }
}

/** The types that Iceberg maps its types to (Iceberg specification, appendix A). */
function physicalType(type: Column['type']): Omit<SchemaElement, 'name'> {
  switch (type.kind) {
    case 'string':
    case 'json':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case 'boolean':
      return { type: 'BOOLEAN' }
    case 'int':
      return { type: 'INT32' }
    case 'long':
      return { type: 'INT64' }
    case 'double':
      return { type: 'DOUBLE' }
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'timestamp':
      return {
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      }
    case 'decimal': {
      const { precision, scale } = type
      const logical_type = { type: 'DECIMAL', precision, scale } as const
      return { ...decimalStorage(precision), converted_type: 'DECIMAL', logical_type, precision, scale }
    }
  }
}
