import { zstdDecompressSync } from 'node:zlib'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { TableFile } from '../../../../functions/tables/parquet/table-file.ts'
import type { FileColumn } from '../../../../stored/iceberg/table-schema.ts'

const columns: FileColumn[] = [
  { name: 'id', from: ['id'], type: { kind: 'string' }, fieldId: 1 },
  { name: 'city', from: ['address', 'city'], type: { kind: 'string' }, fieldId: 2 },
  { name: 'orders', from: ['orders'], type: { kind: 'long' }, fieldId: 5 },
  { name: 'inherited', from: ['__proto__'], type: { kind: 'string' }, fieldId: 6 },
]

function write(...documents: string[]) {
  const file = new TableFile(columns)
  for (const document of documents) file.add(Buffer.from(document))
  return file.finish()
}

describe('a table file', () => {
  it('counts its rows and, by column, the values that do not fit', () => {
    const { rows, rejected, body, report } = write(
      '{"id":"1","address":{"city":"Olinda"},"orders":3}',
      '{"id":["2"],"address":null,"orders":1.5}',
      '{"orders":"many","address":{"city":null}}',
    )
    expect({ rows, rejected }).toEqual({ rows: 3, rejected: { id: 1, orders: 2 } })
    expect(report.documents).toBe(3)
    expect(Buffer.from(body.subarray(0, 4)).toString()).toBe('PAR1')
  })

  it.each<[what: string, count: number, document: (index: number) => string, groups: readonly number[]]>([
    ['many rows', 100_001, () => '{"id":"1"}', [100_000, 1]],
    ['large rows', 70, (index) => `{"id":"${index}${'x'.repeat(1_000_000)}"}`, [68, 2]],
  ])('divides %s into groups, which are in memory as a whole', (...row) => {
    const [, count, document, expected] = row
    const file = new TableFile(columns)
    for (let index = 0; index < count; index++) file.add(Buffer.from(document(index)))
    expect(file.finish().groups.map((group) => Number(group.num_rows))).toEqual(expected)
  })

  it('has each value in its row, in pages that are compressed, with statistics and field ids', async () => {
    const rows = 40_000
    const city = (row: number) => (row % 7 === 0 ? null : `city ${row % 3}`)
    const orders = (row: number) => 9_007_199_254_740_993n + BigInt(row)
    const file = new TableFile(columns)
    for (let row = 0; row < rows; row++) {
      const address = { city: city(row) }
      const id = `${row}`.padStart(60, '0')
      file.add(Buffer.from(`{"id":"${id}","address":${JSON.stringify(address)},"orders":${orders(row)}}`))
    }
    const { body, rejected } = file.finish()
    const { buffer } = Uint8Array.from(body)
    const read = await parquetReadObjects({
      file: buffer,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
    })
    expect(rejected).toEqual({})
    expect(read).toHaveLength(rows)
    const wrong = read.filter((found, row) => {
      const isRight = Number(found['id']) === row && found['city'] === city(row)
      return !isRight || found['orders'] !== orders(row)
    })
    expect(wrong).toEqual([])
    const { schema, row_groups: groups } = parquetMetadata(buffer)
    expect(schema.slice(1).map(({ field_id: id }) => id)).toEqual([1, 2, 5, 6])
    const nulls = BigInt(Math.ceil(rows / 7))
    expect(groups[0]?.columns.map(({ meta_data: data }) => data)).toMatchObject([
      { codec: 'ZSTD', encoding_stats: [{ encoding: 'PLAIN', count: 3 }] },
      { codec: 'ZSTD', statistics: { null_count: nulls, min_value: 'city 0', max_value: 'city 2' } },
      {
        codec: 'ZSTD',
        statistics: { null_count: 0n, min_value: orders(0), max_value: orders(rows - 1) },
      },
      { codec: 'ZSTD', statistics: { null_count: BigInt(rows) } },
    ])
  })
})
