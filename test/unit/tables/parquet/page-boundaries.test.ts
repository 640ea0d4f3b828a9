import { zstdDecompressSync } from 'node:zlib'
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet'
import { expect, it } from 'vitest'
import type { FileColumn } from '../../../../functions/tables/parquet/file-column.ts'
import { createTableFile } from '../../../../functions/tables/parquet/table-file.ts'
import { rowsToTry } from '../../../case-count.ts'

/** The most rows of a page. */
const page = 20_000

type Value = string | number | bigint | boolean | undefined

/** The values of each column by the number of the row; undefined is none. */
const columns: Readonly<Record<string, (row: number) => Value>> = {
  distinct: (row) => `id-${row}`,
  repeated: (row) => `city ${row % 3}`,
  // Its dictionary is left in the second page.
  late: (row) => (row < page ? `few ${row % 3}` : `many ${row}`),
  flag: (row) => row % 5 === 0,
  sparse: (row) => (row < page || row % 7 === 0 ? undefined : row),
}

const kinds: Readonly<Record<string, 'boolean' | 'long' | 'string'>> = { flag: 'boolean', sparse: 'long' }

const fileColumns = Object.keys(columns).map(
  (name, index): FileColumn => ({
    name,
    from: [name],
    fieldId: index + 1,
    type: { kind: kinds[name] ?? 'string' },
  }),
)

function written(rows: number): { readonly file: ArrayBuffer; readonly metadata: FileMetaData } {
  const file = createTableFile(fileColumns)
  for (let row = 0; row < rows; row++) {
    const values = Object.entries(columns).map(([name, valueAt]) => [name, valueAt(row)])
    file.add(Buffer.from(JSON.stringify(Object.fromEntries(values))))
  }
  const { buffer } = Uint8Array.from(file.finish().body)
  return { file: buffer, metadata: parquetMetadata(buffer) }
}

it.each(rowsToTry([page + 1, 2 * page]))('a file of %i rows has each value in its row', async (rows) => {
  const { file, metadata } = written(rows)
  const read = (await parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  })) as Readonly<Record<string, Value>>[]
  expect(read).toHaveLength(rows)
  const wrong = read.flatMap((found, row) =>
    Object.entries(columns).flatMap(([name, valueAt]) => {
      const [value, expected] = [found[name] ?? undefined, valueAt(row)]
      return String(value) === String(expected) ? [] : [`${name} of row ${row} is ${String(value)}`]
    }),
  )
  expect(wrong.slice(0, 5)).toEqual([])
  const chunks = metadata.row_groups.flatMap((group) => group.columns.map((column) => column.meta_data))
  const statistics = Object.fromEntries(
    chunks.map((chunk) => [chunk?.path_in_schema.join('.'), chunk?.statistics]),
  )
  const nulls = Array.from({ length: rows }, (_, row) => columns['sparse']?.(row)).filter(
    (value) => value === undefined,
  )
  expect(statistics).toMatchObject({
    late: { min_value: 'few 0', max_value: rows > page + 1 ? 'many 39999' : 'many 20000' },
    sparse: { null_count: BigInt(nulls.length) },
  })
  if (rows < 2 * page) return
  const late = metadata.row_groups[0]?.columns[2]?.meta_data
  const size = Number(late?.data_page_offset) - Number(late?.dictionary_page_offset)
  // Only the values of the first page, and the header.
  expect(size).toBeGreaterThan(0)
  expect(size).toBeLessThan(100)
})

it('a page of large values ends after a megabyte', () => {
  const file = createTableFile([{ name: 'text', from: ['text'], fieldId: 1, type: { kind: 'string' } }])
  for (let row = 0; row < 200; row++)
    file.add(Buffer.from(JSON.stringify({ text: String(row).padEnd(20_000, '.') })))
  const { row_groups: groups } = parquetMetadata(Uint8Array.from(file.finish().body).buffer)
  const stats = groups.map(({ columns: [column] }) => column?.meta_data?.encoding_stats)
  expect(stats).toEqual([[{ page_type: 'DATA_PAGE_V2', encoding: 'PLAIN', count: 4 }]])
})
