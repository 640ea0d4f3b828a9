import { zstdCompressSync } from 'node:zlib'
import type { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { packedRun, repeatedRun } from './bit-packing.ts'

interface PageRows {
  readonly count: number
  /** Those with a value. */
  readonly values: number
  /** 1 for each row with a value. */
  readonly present: Uint8Array
}

/** A page of a column that is ready to be written (Parquet format, data page version 2). */
export interface DataPage {
  readonly rows: number
  readonly nulls: number
  readonly encoding: 'PLAIN' | 'RLE_DICTIONARY'
  readonly levels: Buffer
  readonly values: CompressedBytes
}

/** The distinct values that data pages refer to. */
export interface DictionaryPage {
  readonly count: number
  readonly values: CompressedBytes
}

interface CompressedBytes {
  readonly size: number
  readonly bytes: Buffer
}

export function dataPage(
  { count, values: valueCount, present }: PageRows,
  encoding: DataPage['encoding'],
  values: Buffer,
): DataPage {
  const nulls = count - valueCount
  const isMixed = nulls > 0 && valueCount > 0
  const levels = isMixed ? packedRun(present, count, 1) : repeatedRun(nulls === 0 ? 1 : 0, count)
  return { rows: count, nulls, encoding, levels, values: compressed(values) }
}

/** Returns the size that the page has without compression. */
export function writeDataPage(writer: ByteWriter, page: DataPage): number {
  const { rows, nulls, encoding, levels, values } = page
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.length + values.size,
    compressed_page_size: levels.length + values.bytes.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  })
  const headerSize = writer.offset - start
  writer.appendBytes(levels)
  writer.appendBytes(values.bytes)
  return headerSize + levels.length + values.size
}

export function dictionaryPage(count: number, values: Buffer): DictionaryPage {
  return { count, values: compressed(values) }
}

/** Returns the size that the page has without compression. */
export function writeDictionaryPage(writer: ByteWriter, { count, values }: DictionaryPage): number {
  const start = writer.offset
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: values.size,
    compressed_page_size: values.bytes.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  })
  const headerSize = writer.offset - start
  writer.appendBytes(values.bytes)
  return headerSize + values.size
}

const compressed = (bytes: Buffer): CompressedBytes => ({
  size: bytes.length,
  bytes: zstdCompressSync(bytes),
})
