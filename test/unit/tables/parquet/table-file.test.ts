import { describe, expect, it } from 'vitest'
import type { FileColumn } from '../../../../functions/tables/parquet/file-column.ts'
import { createTableFile } from '../../../../functions/tables/parquet/table-file.ts'

const columns: FileColumn[] = [
  { name: 'id', from: ['id'], type: { kind: 'string' }, fieldId: 1 },
  { name: 'city', from: ['address', 'city'], type: { kind: 'string' }, fieldId: 2 },
  { name: 'orders', from: ['orders'], type: { kind: 'long' }, fieldId: 5 },
]

function write(...documents: string[]) {
  const file = createTableFile(columns)
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

  it('finds documents within a page of lines', () => {
    const page = Buffer.from('{"id":"1"}\n{"id":{}}\n')
    const file = createTableFile(columns)
    file.add(page, 0, 10)
    file.add(page, 11, 20)
    expect(file.finish()).toMatchObject({ rows: 2, rejected: { id: 1 } })
  })

  it.each<[what: string, count: number, document: (index: number) => string, groups: readonly number[]]>([
    ['many rows', 100_001, () => '{"id":"1"}', [100_000, 1]],
    ['large rows', 70, (index) => `{"id":"${index}${'x'.repeat(1_000_000)}"}`, [68, 2]],
  ])('divides %s into groups, which are in memory as a whole', (...row) => {
    const [, count, document, expected] = row
    const file = createTableFile(columns)
    for (let index = 0; index < count; index++) file.add(Buffer.from(document(index)))
    expect(file.finish().groups.map((group) => Number(group.num_rows))).toEqual(expected)
  })

  it('refuses what is not a document', () => {
    const file = createTableFile(columns)
    expect(() => file.add(Buffer.from('{"id":"1"'))).toThrow('The page is not JSON')
    expect(() => file.add(Buffer.from('[1]'))).toThrow('expected a document')
    expect(() => file.add(Buffer.from('{"address":{"city":"x"'))).toThrow('The page is not JSON')
    file.add(Buffer.from('{"id":"2","address":{"city":"y"}}'))
    expect(file.finish()).toMatchObject({ rows: 1, rejected: {}, report: { documents: 1 } })
  })
})
