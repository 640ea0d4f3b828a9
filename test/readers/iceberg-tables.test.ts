import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Column } from '../../functions/runtime/settings-schema/columns.ts'
import { string, TableTestbed } from '../unit/tables/table-testbed.ts'
import { type Field, programs, type Row, readTable } from './iceberg/read-table.ts'

const typed = (name: string, type: Column['type']): Column => ({ name, from: [name], type })

describe.skipIf(!programs)('PyIceberg and DuckDB', () => {
  it('read every type of a table', async () => {
    const testbed = new TableTestbed()
    testbed.settings = {
      ...testbed.settings,
      columns: [
        string('id'),
        { name: 'city', from: ['address', 'city'], type: { kind: 'string' } },
        { name: 'email_hash', from: ['email'], type: { kind: 'string', hash: 'sha256' } },
        typed('active', { kind: 'boolean' }),
        typed('visits', { kind: 'int' }),
        typed('orders', { kind: 'long' }),
        typed('score', { kind: 'double' }),
        typed('total', { kind: 'decimal', precision: 38, scale: 4 }),
        typed('price', { kind: 'decimal', precision: 9, scale: 2 }),
        typed('born', { kind: 'date' }),
        typed('seen', { kind: 'timestamp' }),
        typed('tags', { kind: 'json' }),
      ],
    }
    await testbed.publishTable([
      '{"id":"a","address":{"city":"Évora"},"email":"a@example.com","active":true,"visits":-7,"orders":9223372036854775807,' +
        '"score":0.1,"total":"1234567890123456789012345678901234.5678","price":-12.5,"born":"1999-12-31","seen":"2026-01-02T03:04:05.1234567+02:00","tags":["x",{"y":1.0}]}',
      '{"id":"b","address":"none","email":{},"active":"yes","visits":1.5,"orders":1e30,"score":"NaN","total":0.00001,"price":1e9,"born":"0000-01-01","seen":"soon"}',
    ])
    const table = await readTable(testbed)
    expect(table.rows).toEqual([
      {
        id: 'a',
        city: 'Évora',
        email_hash: hash('sha256', 'a@example.com', 'hex'),
        active: true,
        visits: -7,
        orders: '9223372036854775807',
        score: 0.1,
        total: '1234567890123456789012345678901234.5678',
        price: '-12.50',
        born: '1999-12-31',
        seen: '2026-01-02T01:04:05.123456+00:00',
        tags: '["x",{"y":1.0}]',
      },
      Object.fromEntries(table.fields.map(([, name]) => [name, name === 'id' ? 'b' : null])),
    ])
    expect(table.duckdb).toEqual(table.rows)
    expect(testbed.latest()?.rejected).toEqual({
      email_hash: 1,
      active: 1,
      visits: 1,
      orders: 1,
      score: 1,
      total: 1,
      price: 1,
      born: 1,
      seen: 1,
    })
  })

  it('read a table without rows', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable([])
    const { rows, duckdb, snapshots, fields } = await readTable(testbed)
    expect({ rows, duckdb }).toEqual({ rows: [], duckdb: [] })
    expect(fields).toEqual([
      [1, 'id', 'string'],
      [2, 'city', 'string'],
    ])
    expect(snapshots).toHaveLength(1)
  })

  it('read a table whose content was erased', async () => {
    const testbed = new TableTestbed()
    await testbed.publishTable(['{"id":"a"}'])
    testbed.publish(['{"id":"b"}'], { afterMs: 20 * 24 * 3_600_000 })
    testbed.publish(['{"id":"c"}'], { afterMs: 20 * 24 * 3_600_000 })
    await testbed.erase(8)
    expect(await readTable(testbed)).toMatchObject({ rows: [], snapshots: [] })
    await testbed.make()
    expect(await readTable(testbed)).toMatchObject({ rows: [{ id: 'c', city: null }] })
  })

  it('read many chunks, with the last document of each id', async () => {
    const testbed = new TableTestbed()
    const documents = Array.from({ length: 2200 }, (_, id) => `{"id":"${id % 2150}","city":"${id}"}`)
    testbed.pagesOfChunk = 100
    testbed.publish(documents, { pageSize: 1, uniqueIds: 2150 })
    await testbed.make()
    const { rows, duckdb } = await readTable(testbed)
    const expected = Object.fromEntries(documents.map((line) => [JSON.parse(line).id, JSON.parse(line).city]))
    for (const read of [rows, duckdb])
      expect(Object.fromEntries(read.map(({ id, city }) => [String(id), city]))).toEqual(expected)
    expect(rows).toHaveLength(2150)
  })

  it('travel to each kept snapshot with the schema that it was written with', async () => {
    const testbed = new TableTestbed()
    const [id] = [string('id')]
    const steps: readonly {
      readonly columns: readonly Column[]
      readonly document: string
      readonly row: Row
      readonly fields: readonly Field[]
    }[] = [
      {
        columns: [id, typed('n', { kind: 'int' }), typed('m', { kind: 'decimal', precision: 9, scale: 2 })],
        document: '{"id":"1","n":1,"m":1.5}',
        row: { id: '1', n: 1, m: '1.50' },
        fields: [
          [1, 'id', 'string'],
          [2, 'n', 'int'],
          [3, 'm', 'decimal(9, 2)'],
        ],
      },
      // Promoted.
      {
        columns: [id, typed('n', { kind: 'long' }), typed('m', { kind: 'decimal', precision: 20, scale: 2 })],
        document: '{"id":"2","n":5000000000,"m":123456789012.25}',
        row: { id: '2', n: 5000000000, m: '123456789012.25' },
        fields: [
          [1, 'id', 'string'],
          [2, 'n', 'long'],
          [3, 'm', 'decimal(20, 2)'],
        ],
      },
      // Retyped, one dropped, one added.
      {
        columns: [typed('added', { kind: 'boolean' }), id, typed('n', { kind: 'string' })],
        document: '{"id":"3","n":7,"added":true}',
        row: { added: true, id: '3', n: '7' },
        fields: [
          [4, 'added', 'boolean'],
          [1, 'id', 'string'],
          [5, 'n', 'string'],
        ],
      },
      // Retyped back, and back again: new ids each time.
      {
        columns: [id, typed('n', { kind: 'long' }), typed('m', { kind: 'decimal', precision: 9, scale: 2 })],
        document: '{"id":"4","n":8,"m":2}',
        row: { id: '4', n: 8, m: '2.00' },
        fields: [
          [1, 'id', 'string'],
          [6, 'n', 'long'],
          [7, 'm', 'decimal(9, 2)'],
        ],
      },
    ]
    const runs: string[] = []
    for (const { columns, document } of steps) {
      testbed.settings = { ...testbed.settings, columns }
      runs.push(await testbed.publishTable([document]))
    }
    const { snapshots, rows, fields } = await readTable(testbed)
    expect(snapshots).toEqual(
      steps.map(({ row, fields: own }, index) => ({ run: runs[index], fields: own, rows: [row] })),
    )
    expect(rows).toEqual([steps.at(-1)?.row])
    expect(fields).toEqual(steps.at(-1)?.fields)
  })
})
