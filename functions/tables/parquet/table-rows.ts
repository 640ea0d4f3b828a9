import { isUtf8 } from 'node:buffer'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { isAt, nullLiteral } from '../../documents/json-scalars.ts'
import type { FoundValues } from '../fields/found-values.ts'
import type { JsonValue } from '../values/json-value.ts'
import { valueWriter } from '../values/value-writer.ts'
import { ColumnChunk } from './column-chunk.ts'
import { columnSchema, type FileColumn } from './file-column.ts'

export type RowGroup = ParquetWriter['row_groups'][number]

/** The rows of the row group that is being collected. */
export class TableRows {
  count = 0
  /** Bytes of all values. */
  size = 0
  readonly #columns: readonly FileColumn[]
  readonly #rejected: number[]
  #chunks: readonly ColumnChunk[] = []
  readonly #newChunks: () => readonly ColumnChunk[]
  readonly #value: JsonValue = { text: Buffer.alloc(0), isUtf8: true, start: 0, end: 0, isEscaped: false }

  constructor(columns: readonly FileColumn[]) {
    const kinds = columns.map((column) => [columnSchema(column), valueWriter(column.type)] as const)
    this.#columns = columns
    this.#rejected = columns.map(() => 0)
    this.#newChunks = () => kinds.map(([element, write]) => new ColumnChunk(element, write))
  }

  /** Adds a row with what has been found in a document. The bytes of the text must not change between its documents. */
  add(text: Buffer, found: FoundValues): void {
    if (this.count === 0) this.#chunks = this.#newChunks()
    const value = this.#value
    if (value.text !== text) {
      value.text = text
      value.isUtf8 = isUtf8(text)
    }
    for (let column = 0; column < this.#chunks.length; column++) {
      const chunk = this.#chunks[column] as ColumnChunk
      value.start = found.starts[column] ?? -1
      if (value.start < 0 || isAt(text, value.start, nullLiteral)) {
        chunk.addNull()
        continue
      }
      value.end = found.ends[column] ?? 0
      value.isEscaped = found.escaped[column] === 1
      const before = chunk.size
      if (chunk.add(value)) this.size += chunk.size - before
      else this.#rejected[column] = (this.#rejected[column] ?? 0) + 1
    }
    this.count++
  }

  /** Writes the row group. The next row begins another one. */
  writeTo(writer: ByteWriter): RowGroup {
    const start = writer.offset
    const columns = this.#chunks.map((chunk) => chunk.writeTo(writer))
    const group = {
      columns,
      num_rows: BigInt(this.count),
      total_byte_size: columns.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(writer.offset - start),
    }
    this.count = 0
    this.size = 0
    this.#chunks = []
    return group
  }

  /** How many values did not fit, for each column that has such values. */
  rejected(): Record<string, number> {
    const counts = this.#columns.map(({ name }, column) => [name, this.#rejected[column] ?? 0] as const)
    return Object.fromEntries(counts.filter(([, count]) => count > 0))
  }
}
