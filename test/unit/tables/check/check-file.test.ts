import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ColumnTypeText } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { columnTypeOf } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { checkFile, type FileToCheck } from '../../../../functions/tables/check/check-file.ts'
import { columnMetrics } from '../../../../functions/tables/parquet/column-metrics.ts'
import { TableFile } from '../../../../functions/tables/parquet/table-file.ts'
import { liveFiles, manifestFile } from '../../../../stored/iceberg/manifests.ts'
import { type FileColumn, schemaFields } from '../../../../stored/iceberg/table-schema.ts'
import { areStrings } from '../../../../stored/schema-report/report-part.ts'
import { runsToTry } from '../../../case-count.ts'
import { jsonValues } from '../values/json-values.ts'

const columnsOf = (types: Readonly<Record<string, ColumnTypeText>>): FileColumn[] =>
  Object.entries(types).map(([name, type], index) => ({
    name,
    from: [name],
    type: columnTypeOf(type),
    fieldId: index + 1,
  }))

const types = {
  id: 'string',
  city: 'string',
  orders: 'long',
  total: 'decimal(9,2)',
  large: 'decimal(30,0)',
  seen: 'timestamp',
  day: 'date',
  more: 'json',
} as const
const columns = columnsOf(types)

const documentOf = (id: number) =>
  `{"id":"${id}","city":"c${id % 3}","orders":${id},"total":${id}.5,"large":-1e2${id % 9},"seen":"2026-01-01T00:00:0${id % 9}.123456Z","day":"2026-01-0${(id % 9) + 1}","more":[ ${id}.0,{"a":1} ]}`
const documents = Array.from({ length: 50 }, (_, id) => documentOf(id))
const edited = (index: number, change: (document: string) => string) =>
  documents.map((document, at) => (at === index ? change(document) : document))

interface Written {
  /** What the file is written from. */
  readonly rows?: readonly string[]
  readonly columns?: readonly FileColumn[]
  readonly pageSize?: number
}

/** A file of documents, its manifest and its pages, as they are stored. */
function stored(lines: readonly string[], columns: readonly FileColumn[], written: Written = {}) {
  const { rows = lines, columns: own = columns, pageSize = 1 } = written
  const table = new TableFile(own)
  for (const document of rows) table.add(Buffer.from(document))
  const { body, groups, rejected, absent, report, rows: count } = table.finish()
  const schema = { type: 'struct', 'schema-id': 0, fields: schemaFields(own) } as const
  const file = { address: 's3://bucket/u1.parquet', bytes: body.length }
  const metrics = columnMetrics(own, groups)
  const manifest = manifestFile(schema, { snapshotId: 1, file, rows: count, metrics })
  const [entry] = liveFiles(manifest, 1).map((one) => one.file)
  if (!entry) throw new Error('The manifest has no file.')
  const objects = new Map<string, Buffer>()
  for (let at = 0; at < lines.length; at += pageSize) {
    const text = lines.slice(at, at + pageSize).map((line) => `${line}\n`)
    objects.set(`p${objects.size}`, gzipSync(text.join('')))
  }
  const pages = [...objects].map(([key, bytes], index) => ({
    key,
    documents: lines.slice(index * pageSize, (index + 1) * pageSize).length,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }))
  const chunk: FileToCheck = {
    columns,
    file: { bytes: Buffer.from(body), etag: 'e', entry },
    rejected,
    absent,
    areIdsStrings: areStrings(report, 'id'),
    first: 0,
    pages,
    idField: 'id',
    superseded: [],
    superseding: [],
  }
  return {
    chunk,
    check: (change = {}) => checkFile({ ...chunk, ...change }, async (key) => objects.get(key)),
  }
}

const withEntry = ({ file }: FileToCheck, change: object) => ({
  file: file && { ...file, entry: { ...file.entry, ...change } },
})

const zeros = (file: FileToCheck['file'], from: number, to?: number) =>
  file && { ...file, bytes: Buffer.from(file.bytes).fill(0, from, to) }

describe('a file that is read back', () => {
  it('has what was written, with the sum of its ids', async () => {
    const { check, chunk } = stored(documents, columns)
    const sum = documents.reduce((before, _, id) => {
      const digest = createHash('sha256')
        .update(JSON.stringify(`${id}`))
        .digest('hex')
      return before + BigInt(`0x${digest.slice(0, 32)}`)
    }, 0n)
    const bytes = chunk.file?.bytes.length
    const idSum = BigInt.asUintN(128, sum).toString(16)
    expect(await check()).toMatchObject({ rows: 50, bytes, etag: 'e', idSum, repeats: '0' })
  })

  it.each<[what: string, written: Written, reason: RegExp]>([
    ['lacks a row', { rows: documents.slice(1) }, /has rows: 49; it needs 50/],
    ['has a row twice', { rows: [...documents, documentOf(0)] }, /has rows: 51; it needs 50/],
    [
      'has two rows in another order',
      { rows: documents.with(0, documentOf(1)).with(1, documentOf(0)) },
      /row 1 /,
    ],
    ...(
      [
        ['city', '"c0"', '"c9"'],
        ['orders', '"orders":0', '"orders":1'],
        ['total', '0.5', '0.51'],
        ['large', '-1e20', '-100000000000000000001'],
        ['seen', '.123456', '.123457'],
        ['day', '2026-01-01"', '2026-01-02"'],
        ['more', '[ 0.0', '[ 0.00'],
        ['more', '"a":1', '"b":1'],
        ['city', '"c0"', '{}'],
      ] as const
    ).map(([name, from, to]): [string, Written, RegExp] => [
      `has ${to} in place of ${from}`,
      { rows: edited(0, (one) => one.replace(from, to)) },
      new RegExp(`row 1 another ${name} `),
    ]),
  ])('fails if it %s', async (...row) => {
    const [, written, reason] = row
    await expect(stored(documents, columns, written).check()).rejects.toThrow(reason)
  })

  const from = { id: ['city'], city: ['id'] } as Readonly<Record<string, string[]>>
  const swapped = columns.map((column) => ({ ...column, from: from[column.name] ?? column.from }))
  it.each<[what: string, columns: readonly FileColumn[], reason: RegExp]>([
    ['two columns swapped', swapped, /another id /],
    [
      'other field ids',
      columns.map((column) => ({ ...column, fieldId: 9 - column.fieldId })),
      /columns: id 8 /,
    ],
    ['a column of another type', columnsOf({ ...types, day: 'timestamp' }), /: .*day 7 OPTIONAL INT64/],
    ['decimals of another scale', columnsOf({ ...types, total: 'decimal(9,1)' }), /columns: .*DECIMAL 9 1/],
  ])('fails if it has %s', async (_, own, reason) => {
    await expect(stored(documents, columns, { columns: own }).check()).rejects.toThrow(reason)
  })

  it.each<[entry: object, reason: string]>([
    [{ record_count: 51 }, 'rows in its manifest: 51; it needs 50'],
    [{ file_size_in_bytes: 9 }, 'bytes in its manifest: 9; it needs'],
    [{ null_value_counts: [{ key: 2, value: 1 }] }, 'nulls of city in its manifest: 1; it needs 0'],
    [{ value_counts: [{ key: 2, value: 1 }] }, 'values of city in its manifest: 1; it needs 50'],
    [{ content: 1 }, 'content in its manifest: 1; it needs 0'],
    [{ split_offsets: [4, 900] }, 'row groups in its manifest: 4,900; it needs 4.'],
    [{ lower_bounds: [{ key: 2, value: Buffer.from('c1') }] }, ' a city outside of '],
    [{ upper_bounds: [{ key: 4, value: Buffer.from([0]) }] }, ' a total outside of '],
  ])('fails if its manifest has other facts or bounds: %j', async (entry, reason) => {
    const { chunk, check } = stored(documents, columns)
    await expect(check(withEntry(chunk, entry))).rejects.toThrow(reason)
  })

  it.each<[what: string, change: (chunk: FileToCheck) => object, reason: RegExp]>([
    [
      'more values were rejected than are null',
      () => ({ rejected: { city: 1 } }),
      /nulls of city: 0; it needs 1/,
    ],
    ['it is no Parquet file', ({ file }) => ({ file: zeros(file, 0) }), /cannot be read/],
    ['its data are damaged', ({ file }) => ({ file: zeros(file, 4, 94) }), /cannot be read/],
    [
      'a page was replaced',
      ({ pages }) => ({ pages: pages.map((page) => ({ ...page, sha256: 'other' })) }),
      /p0 has the SHA-256: .*; it needs other/,
    ],
  ])('fails if %s', async (...row) => {
    const [, change, reason] = row
    const { chunk, check } = stored(documents, columns)
    await expect(check(change(chunk))).rejects.toThrow(reason)
  })

  it('sums other ids, or fails in each row if not all ids are texts, where rows are not compared', async () => {
    const rows = edited(1, (one) => one.replace('"1"', '"7"'))
    const [right, other] = await Promise.all(
      [stored(documents, columns), stored(documents, columns, { rows })].map(({ check }) => check()),
    )
    expect(other?.idSum).not.toBe(right?.idSum)
    const numbers = [...documents, '{"id":50}']
    const mixed = { rows: [...rows, '{"id":50}'] }
    expect(await stored(numbers, columns).check()).toMatchObject({ rows: 51 })
    await expect(stored(numbers, columns, mixed).check()).rejects.toThrow(/row 2 another id /)
  })

  it('has no sum of ids if it has no column of them and rows were not compared', async () => {
    const [, city] = columns
    expect(await stored(documents, city ? [city] : []).check()).toMatchObject({ rows: 50, idSum: null })
  })

  it('fails if a page could not be read, with the error of AWS', async () => {
    const away = () => Promise.reject(new Error('S3 is away.'))
    await expect(checkFile(stored(documents, columns).chunk, away)).rejects.toThrow(new Error('S3 is away.'))
  })
})

describe('a document whose id occurs again', () => {
  const lines = [documentOf(1), documentOf(2), documentOf(1).replace('c1', 'new')]
  const repeated = { superseded: [[0, 0, 0, 2]], superseding: [[0, 2]] }
  const file = (rows: readonly string[]) => stored(lines, columns, { rows, pageSize: 3 })

  it('is no row, and all values of the later one are compared', async () => {
    expect(await file(lines.slice(1)).check(repeated)).toMatchObject({ rows: 2, repeats: '0' })
    await expect(file([lines[1] ?? '', lines[0] ?? '']).check(repeated)).rejects.toThrow(
      /row 2 another city /,
    )
  })

  it('fails if the other one is not later, and does not add up if it has another id', async () => {
    const earlier = { superseded: [[0, 2, 0, 0]], superseding: [[0, 0]] }
    await expect(file(lines.slice(0, 2)).check(earlier)).rejects.toThrow(
      'Line 3 of p0 is no row; 0:0 is not later.',
    )
    const other = { superseded: [[0, 0, 0, 1]], superseding: [[0, 1]] }
    expect((await file(lines.slice(1)).check(other)).repeats).not.toBe('0')
  })
})

it('finds nothing in the files of any documents', async () => {
  const all = columnsOf({
    id: 'json',
    s: 'string',
    b: 'boolean',
    i: 'int',
    l: 'long',
    d: 'double',
    c: 'decimal(18,3)',
    e: 'decimal(38,2)',
    t: 'timestamp',
    y: 'date',
    j: 'json',
  })
  const hashed: FileColumn = { name: 'h', from: ['s'], type: { kind: 'string', hash: 'sha256' }, fieldId: 90 }
  const nested: FileColumn = { name: 'n', from: ['j', 'v'], type: { kind: 'json' }, fieldId: 91 }
  const fields = ['id', 's', 'b', 'i', 'l', 'd', 'c', 'e', 't', 'y']
  const document = fc.array(fc.option(jsonValues), { minLength: 11, maxLength: 11 }).map((values) => {
    const members = fields.flatMap((name, index) => (values[index] ? [`"${name}": ${values[index]}`] : []))
    return `{${members.join(' ,')}${members.length > 0 ? ',' : ''}"j":{ "v" :${values[10]}, "\\u0061":[1.0 ]}}`
  })
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 20 }), async (lines) => {
      const text = columnsOf({ id: 'string' })
      await stored(lines, [...all, hashed, nested]).check()
      await stored(lines, text, { pageSize: 2 }).check()
    }),
    { numRuns: runsToTry(100) },
  )
})
