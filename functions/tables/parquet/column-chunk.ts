import type { ByteWriter, ParquetWriter, SchemaElement } from 'hyparquet-writer'
import type { JsonValue } from '../values/json-value.ts'
import { PlainValues } from '../values/plain-values.ts'
import type { ValueWriter } from '../values/value-writer.ts'
import { packedBits, packedRun } from './bit-packing.ts'
import { Dictionary } from './dictionary.ts'
import {
  type DataPage,
  type DictionaryPage,
  dataPage,
  dictionaryPage,
  writeDataPage,
  writeDictionaryPage,
} from './page.ts'
import { physicalTypeOf } from './physical-type.ts'
import { ValueRange } from './value-range.ts'

/** What the file's metadata has about the values of a column in a row group. */
type ChunkMetadata = ParquetWriter['row_groups'][number]['columns'][number]

const maxRowsOfPage = 20_000
const maxBytesOfPage = 1024 * 1024

/**
 * The values of a column in a row group. Pages refer to a dictionary as long as it saves at least half. They are
 * compressed as soon as they are full, so that only the last page of each column is in memory as a whole.
 */
export class ColumnChunk {
  /** Bytes of all values. */
  size = 0
  readonly #element: SchemaElement
  readonly #write: ValueWriter
  readonly #range: ValueRange
  readonly #pages: DataPage[] = []
  #dictionaryPage: DictionaryPage | undefined
  /** The values of the current page, or the distinct values of all pages while there is a dictionary. */
  #values = new PlainValues()
  #dictionary: Dictionary | undefined
  /** What the dictionary had when the current page began. */
  #before = { count: 0, size: 0 }
  /** Of the current page: 1 for each row with a value, and for each value its number in the dictionary. */
  readonly #present = new Uint8Array(maxRowsOfPage)
  readonly #indexes = new Int32Array(maxRowsOfPage)
  #rows = 0
  #count = 0
  /** The values of all pages. */
  #totalCount = 0

  constructor(element: SchemaElement, write: ValueWriter) {
    this.#element = element
    this.#write = write
    this.#range = new ValueRange(physicalTypeOf(element))
    if (element.type !== 'BOOLEAN') this.#dictionary = new Dictionary(this.#values)
  }

  addNull(): void {
    this.#present[this.#rows] = 0
    this.#endRow()
  }

  /** Adds a row with a value. False if the value does not fit the column; it is null then. */
  add(value: Readonly<JsonValue>): boolean {
    const values = this.#values
    const start = values.length
    if (!this.#write(value, values)) {
      this.addNull()
      return false
    }
    this.size += values.length - start
    if (this.#dictionary) this.#indexes[this.#count] = this.#dictionary.intern(start)
    this.#present[this.#rows] = 1
    this.#count++
    this.#endRow()
    return true
  }

  /** Nothing can be added after this. */
  writeTo(writer: ByteWriter): ChunkMetadata {
    if (this.#rows > 0) this.#endPage()
    if (this.#dictionary) this.#endDictionary(this.#values)
    const { type, name } = this.#element
    if (!type) throw new Error(`The column ${name} has no type.`)
    const start = BigInt(writer.offset)
    const hasDictionary = this.#dictionaryPage !== undefined
    let size = this.#dictionaryPage ? writeDictionaryPage(writer, this.#dictionaryPage) : 0
    const dataStart = BigInt(writer.offset)
    for (const page of this.#pages) size += writeDataPage(writer, page)
    const rows = this.#pages.reduce((sum, page) => sum + page.rows, 0)
    return {
      file_offset: start,
      meta_data: {
        type,
        encodings: hasDictionary ? ['RLE', 'PLAIN', 'RLE_DICTIONARY'] : ['RLE', 'PLAIN'],
        path_in_schema: [name],
        codec: 'ZSTD',
        num_values: BigInt(rows),
        total_uncompressed_size: BigInt(size),
        total_compressed_size: BigInt(writer.offset) - start,
        data_page_offset: dataStart,
        ...(hasDictionary ? { dictionary_page_offset: start } : {}),
        statistics: { ...this.#range.limits(), null_count: BigInt(rows - this.#totalCount) },
        encoding_stats: this.#encodingStats(),
      },
    }
  }

  /** Readers that filter by the dictionary need to know whether all pages use it. */
  #encodingStats() {
    const count = (encoding: DataPage['encoding']) =>
      this.#pages.filter((page) => page.encoding === encoding).length
    const stats = [
      { page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: this.#dictionaryPage ? 1 : 0 },
      { page_type: 'DATA_PAGE_V2', encoding: 'RLE_DICTIONARY', count: count('RLE_DICTIONARY') },
      { page_type: 'DATA_PAGE_V2', encoding: 'PLAIN', count: count('PLAIN') },
    ] as const
    return stats.filter(({ count }) => count > 0)
  }

  #endRow(): void {
    this.#rows++
    const size = this.#values.length - this.#before.size
    if (this.#rows === maxRowsOfPage || size >= maxBytesOfPage) this.#endPage()
  }

  #endPage(): void {
    this.#range.add(this.#values, this.#before.size, this.#values.length)
    this.#totalCount += this.#count
    if (this.#dictionary && !this.#isWorthwhile(this.#dictionary)) this.#leaveDictionary(this.#dictionary)
    const rows = { count: this.#rows, values: this.#count, present: this.#present }
    const dictionary = this.#dictionary
    if (!dictionary) {
      this.#pages.push(dataPage(rows, 'PLAIN', this.#plainValues()))
      this.#values.length = 0
    } else if (this.#count > 0) {
      const { indexWidth } = dictionary
      const indexes = packedRun(this.#indexes, this.#count, indexWidth)
      this.#pages.push(dataPage(rows, 'RLE_DICTIONARY', Buffer.concat([Buffer.of(indexWidth), indexes])))
      this.#before = { count: dictionary.count, size: this.#values.length }
    } else {
      this.#pages.push(dataPage(rows, 'PLAIN', Buffer.alloc(0)))
    }
    this.#rows = 0
    this.#count = 0
  }

  #plainValues(): Buffer {
    const { bytes, length } = this.#values
    return this.#element.type === 'BOOLEAN' ? packedBits(bytes, length, 1) : bytes.subarray(0, length)
  }

  #isWorthwhile({ indexWidth }: Dictionary): boolean {
    return 2 * (this.#values.length + (this.#totalCount * indexWidth) / 8) <= this.size
  }

  /** The values of the current page and of later pages are stored as they are. */
  #leaveDictionary(dictionary: Dictionary): void {
    const distinct = this.#values
    this.#values = new PlainValues()
    for (let at = 0; at < this.#count; at++) {
      const number = this.#indexes[at] ?? 0
      this.#values.appendFrom(distinct, dictionary.startOf(number), dictionary.endOf(number))
    }
    this.#endDictionary(distinct)
  }

  /** Earlier pages use the part of the dictionary that was there when the current one began. */
  #endDictionary(distinct: PlainValues): void {
    const { count, size } = this.#before
    if (count > 0) this.#dictionaryPage = dictionaryPage(count, distinct.bytes.subarray(0, size))
    this.#dictionary = undefined
    this.#before = { count: 0, size: 0 }
  }
}
