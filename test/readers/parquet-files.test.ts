import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ColumnType } from '../../functions/runtime/settings-schema/columns.ts'
import { expectedValue } from '../../functions/tables/check/expected-value.ts'
import { TableFile } from '../../functions/tables/parquet/table-file.ts'
import type { StoredValue } from '../../functions/tables/values/column-value.ts'
import type { FileColumn } from '../../stored/iceberg/table-schema.ts'
import { pythonTools } from '../python-tools.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { jsonValues } from '../unit/tables/values/json-values.ts'

const programs = await pythonTools('parquet', new URL('parquet-requirements.txt', import.meta.url))
const script = fileURLToPath(new URL('read_parquet.py', import.meta.url))
const folder = temporaryFolder()

/** A cell without rounding: integers as text, doubles as their bits. */
type Cell = string | boolean | null

interface Read {
  readonly arrow: {
    readonly types: Readonly<Record<string, string>>
    readonly ids: Readonly<Record<string, number>>
    readonly columns: Readonly<Record<string, readonly Cell[]>>
  }
  readonly duckdb: {
    readonly types: Readonly<Record<string, string>>
    readonly columns: Readonly<Record<string, readonly Cell[]>>
  }
  readonly groups: readonly {
    readonly rows: number
    readonly columns: readonly {
      readonly codec: string
      readonly nulls: number
      readonly hasRange: boolean
      readonly hasDictionary: boolean
    }[]
  }[]
}

/** Every type of a column, with what PyArrow and DuckDB call it. */
const columnTypes: readonly (readonly [name: string, type: ColumnType, arrow: string, duckdb: string])[] = [
  ['text', { kind: 'string' }, 'string', 'VARCHAR'],
  ['hashed', { kind: 'string', hash: 'sha256' }, 'string', 'VARCHAR'],
  ['flag', { kind: 'boolean' }, 'bool', 'BOOLEAN'],
  ['whole', { kind: 'int' }, 'int32', 'INTEGER'],
  ['long', { kind: 'long' }, 'int64', 'BIGINT'],
  ['double', { kind: 'double' }, 'double', 'DOUBLE'],
  ['day', { kind: 'date' }, 'date32[day]', 'DATE'],
  ['moment', { kind: 'timestamp' }, 'timestamp[us, tz=UTC]', 'TIMESTAMP WITH TIME ZONE'],
  ['raw', { kind: 'json' }, 'string', 'VARCHAR'],
  ...(
    [
      [1, 0],
      [9, 9],
      [10, 2],
      [18, 2],
      [19, 4],
      [38, 0],
      [38, 38],
    ] as const
  ).map(
    ([precision, scale]) =>
      [
        `decimal_${precision}_${scale}`,
        { kind: 'decimal', precision, scale },
        `decimal128(${precision}, ${scale})`,
        `DECIMAL(${precision},${scale})`,
      ] as const,
  ),
]
/** Every column reads the same value. */
const columns: readonly FileColumn[] = columnTypes.map(([name, type], index) => ({
  name,
  from: ['a', 'value.of'],
  type,
  fieldId: 3 * index + 7,
}))

const documentOf = (json: string) => `{"id":"x","a":{"value.of":${json},"n":[1]}}`

/** The JSON of values at the limits of the types. */
const limits = [
  'null',
  'true',
  'false',
  '{}',
  '0',
  '-0',
  '1e400',
  '1e999999999',
  '9223372036854775807',
  '-9223372036854775808',
  '99999999999999999999999999999999999999',
  '-0.99999999999999999999999999999999999999',
  '"2026-07-17"',
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.9999999Z"',
  '"ção 😀 \\u0000"',
  '"\\ud800"',
]

let files = 0
async function read(body: Uint8Array): Promise<Read> {
  const file = join(folder, `${files++}.parquet`)
  writeFileSync(file, body)
  const python = join(programs ?? '', 'python')
  const { stdout } = await promisify(execFile)(python, ['-W', 'error', script, file], { maxBuffer: 2 ** 30 })
  return JSON.parse(stdout) as Read
}

function cell(value: StoredValue | undefined, type: ColumnType): Cell {
  if (value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (type.kind !== 'double') return String(value)
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(Number(value))
  return bytes.toString('hex')
}

const expectedCells = (values: readonly string[]) =>
  Object.fromEntries(
    columns.map(({ name, type }) => [
      name,
      values.map((json) => cell(json === 'null' ? undefined : expectedValue(json, type), type)),
    ]),
  )

function write(documents: readonly string[]) {
  const file = new TableFile(columns)
  for (const document of documents) file.add(Buffer.from(document))
  return file.finish()
}

describe.skipIf(!programs)('a Parquet file', () => {
  it('gives PyArrow and DuckDB every value of every type, exactly', async () => {
    const values = [...limits, ...fc.sample(jsonValues, { numRuns: 3000, seed: 7 })]
    const { body, rows, rejected } = write(values.map(documentOf))
    const { arrow, duckdb, groups } = await read(body)
    const expected = expectedCells(values)
    expect(rows).toBe(values.length)
    for (const { name } of columns) {
      expect(arrow.columns[name]).toEqual(expected[name])
      expect(duckdb.columns[name]).toEqual(expected[name])
      const nulls = expected[name]?.filter((each) => each === null).length ?? 0
      expect(rejected[name] ?? 0).toBe(nulls - values.filter((json) => json === 'null').length)
    }
    expect(arrow.types).toEqual(Object.fromEntries(columnTypes.map(([name, , type]) => [name, type])))
    expect(duckdb.types).toEqual(Object.fromEntries(columnTypes.map(([name, , , type]) => [name, type])))
    expect(arrow.ids).toEqual(Object.fromEntries(columns.map(({ name, fieldId }) => [name, fieldId])))
    expect(groups).toEqual([
      {
        rows: values.length,
        columns: columns.map(({ name }) => ({
          codec: 'ZSTD',
          nulls: expected[name]?.filter((each) => each === null).length,
          hasRange: true,
          hasDictionary: expect.any(Boolean),
        })),
      },
    ])
  })

  it('has a dictionary for the columns whose values repeat, except doubles, booleans and long decimals', async () => {
    const rows = Array.from({ length: 70_000 }, (_, row) => ({
      city: `Olinda ${row % 7}`,
      state: 'PE',
      name: row < 41_000 ? `ção ${row % 100}` : `${row} ${'x'.repeat(90)}`,
      id: row,
      late: row < 25_000 ? null : row % 50,
      early: row > 22_000 ? null : (row % 50) / 4,
      flag: row % 3 === 0 ? null : row % 2 === 0,
      total: row % 1000 === 999 ? '12345678901234567890.5' : (row % 20) / 2,
    }))
    const types: readonly (readonly [keyof (typeof rows)[number], ColumnType, boolean])[] = [
      ['city', { kind: 'string' }, true],
      ['state', { kind: 'string' }, true],
      ['name', { kind: 'string' }, false],
      ['id', { kind: 'long' }, false],
      ['late', { kind: 'int' }, true],
      ['early', { kind: 'double' }, false],
      ['flag', { kind: 'boolean' }, false],
      ['total', { kind: 'decimal', precision: 30, scale: 2 }, false],
    ]
    const file = new TableFile(
      types.map(([name, type], index) => ({ name, from: [name], type, fieldId: index + 1 })),
    )
    for (const row of rows) file.add(Buffer.from(JSON.stringify(row)))
    const { arrow, duckdb, groups } = await read(file.finish().body)
    for (const [name, type] of types) {
      const expected = rows.map((row) => {
        const json = JSON.stringify(row[name])
        return cell(json === 'null' ? undefined : expectedValue(json, type), type)
      })
      expect(arrow.columns[name]).toEqual(expected)
      expect(duckdb.columns[name]).toEqual(expected)
    }
    expect(groups[0]?.columns.map(({ hasDictionary }) => hasDictionary)).toEqual(
      types.map(([, , hasDictionary]) => hasDictionary),
    )
  })

  it('without rows has its columns', async () => {
    const { arrow, duckdb, groups } = await read(write([]).body)
    expect(arrow.columns).toEqual(Object.fromEntries(columns.map(({ name }) => [name, []])))
    expect(duckdb.columns).toEqual(arrow.columns)
    expect(arrow.ids).toEqual(Object.fromEntries(columns.map(({ name, fieldId }) => [name, fieldId])))
    expect(groups).toEqual([])
  })

  it('can have columns without a value', async () => {
    const documents = Array.from({ length: 20 }, () => '{}')
    const { body, rejected } = write(documents)
    const { arrow, duckdb } = await read(body)
    expect(rejected).toEqual({})
    expect(arrow.columns).toEqual(
      Object.fromEntries(columns.map(({ name }) => [name, documents.map(() => null)])),
    )
    expect(duckdb.columns).toEqual(arrow.columns)
  })

  it('divides its rows into groups of 100,000', async () => {
    const column: FileColumn = { name: 'id', from: ['id'], type: { kind: 'long' }, fieldId: 1 }
    const file = new TableFile([column])
    for (let id = 0; id < 250_000; id++) file.add(Buffer.from(`{"id":${id}}`))
    const { arrow, duckdb, groups } = await read(file.finish().body)
    expect(groups.map(({ rows }) => rows)).toEqual([100_000, 100_000, 50_000])
    const ids = Array.from({ length: 250_000 }, (_, id) => String(id))
    expect(arrow.columns['id']).toEqual(ids)
    expect(duckdb.columns['id']).toEqual(ids)
  })

  it('divides rows of large documents into smaller groups, which are in memory as a whole', async () => {
    const column: FileColumn = { name: 'raw', from: ['raw'], type: { kind: 'json' }, fieldId: 1 }
    const file = new TableFile([column])
    const document = Buffer.from(JSON.stringify({ raw: 'x'.repeat(30 * 2 ** 20) }))
    for (let row = 0; row < 4; row++) file.add(document)
    const { groups } = await read(file.finish().body)
    expect(groups.map(({ rows }) => rows)).toEqual([3, 1])
  })
})
