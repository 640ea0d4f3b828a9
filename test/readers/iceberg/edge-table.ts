import fc from 'fast-check'
import type { Column } from '../../../functions/runtime/settings-schema/columns.ts'
import { expectedValue } from '../../../functions/tables/check/expected-value.ts'
import type { StoredValue } from '../../../functions/tables/values/column-value.ts'
import { TableTestbed } from '../../unit/tables/table-testbed.ts'
import { jsonValues } from '../../unit/tables/values/json-values.ts'
import type { Row } from './read-table.ts'

const typed = (name: string, type: Column['type']): Column => ({ name, from: ['v'], type })
const decimal = (precision: number, scale: number) =>
  typed(`decimal_${precision}`, { kind: 'decimal', precision, scale })

const columns: readonly Column[] = [
  typed('number_of_document', { kind: 'int' }),
  typed('text', { kind: 'string' }),
  typed('pseudonym', { kind: 'string', hash: 'sha256' }),
  typed('flag', { kind: 'boolean' }),
  typed('small', { kind: 'int' }),
  typed('large', { kind: 'long' }),
  typed('float', { kind: 'double' }),
  decimal(9, 2),
  decimal(18, 4),
  decimal(38, 10),
  typed('day', { kind: 'date' }),
  typed('time', { kind: 'timestamp' }),
  typed('raw', { kind: 'json' }),
].map((column, at) => (at === 0 ? { ...column, from: ['id'] } : column))

/** Values that a sample of random ones may lack. */
const edges = [
  'null',
  'true',
  '-0',
  '0.0',
  '1.0',
  '1e3',
  '1e400',
  '1e-400',
  '5e-324',
  '1e999999999',
  '0e999999999',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '2147483647',
  '-2147483648',
  '9999999.99',
  '-9999999.99',
  '10000000',
  '"12"',
  '" 12"',
  '"1e2"',
  '9007199254740993',
  '0.1',
  '1e308',
  '99999999999999.9999',
  '-99999999999999.9999',
  '9999999999999999999999999999.9999999999',
  '-9999999999999999999999999999.9999999999',
  '-0.0000000001',
  '1e-11',

  '"0001-01-01"',
  '"9999-12-31T23:59:59.9999999Z"',
  '"0001-01-01T00:00:00+00:01"',
  '"1969-12-31T23:59:59.999999Z"',
  '"2016-12-31T23:59:60Z"',
  '"2026-07-17T23:30:00-03:00"',
  '"2026-02-29"',
  '"2026-01-01T00:00:00.12345678Z"',
  '"\\ud800"',
  '"\uffff"',
  '"😀"',
  '"\\u0000"',
  '""',
  '{"a":[1.0]}',
  '[]',
  `"${'é'.repeat(40)}"`,
  `"${'\u{10ffff}'.repeat(9)}"`,
  `"${'x'.repeat(5000)}"`,
]

/** What the readers print of what a column stores. */
function printed(value: StoredValue | undefined, type: Column['type']): unknown {
  if (value === undefined) return null
  switch (type.kind) {
    case 'decimal': {
      const digits = String(value)
        .replace('-', '')
        .padStart(type.scale + 1, '0')
      const sign = (value as bigint) < 0n ? '-' : ''
      return `${sign}${digits.slice(0, -type.scale)}.${digits.slice(-type.scale)}`
    }
    case 'date':
      return new Date((value as number) * 86_400_000).toISOString().slice(0, 10)
    case 'timestamp': {
      const micros = value as bigint
      const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
      const second = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19)
      return `${second}${rest === 0n ? '' : `.${String(rest).padStart(6, '0')}`}+00:00`
    }
    case 'long':
      return Math.abs(Number(value)) < 2 ** 53 ? Number(value) : String(value)
    case 'string':
    case 'boolean':
    case 'int':
    case 'double':
    case 'json':
      return value
  }
}

/** A table of such values, in several files, and its rows as readers must print them, in the order of the documents. */
export async function edgeTable(): Promise<{
  readonly testbed: TableTestbed
  readonly documents: readonly string[]
  readonly rows: readonly Row[]
  readonly rejected: Readonly<Record<string, number>>
}> {
  const values = [...edges, ...fc.sample(jsonValues, { numRuns: 1500, seed: 29 })]
  const testbed = new TableTestbed()
  testbed.settings = { ...testbed.settings, columns }
  testbed.pagesOfChunk = 3
  const documents = values.map((json, at) => `{"v":${json},"id":${at}}`)
  testbed.publish(documents, { pageSize: 200 })
  const { status } = await testbed.make()
  if (status !== 'published') throw new Error(`The table is ${status}.`)
  const rejected = new Map<string, number>()
  const rows = values.map((json, at) =>
    Object.fromEntries(
      columns.map(({ name, type }, column) => {
        if (column === 0) return [name, at]
        const value = json === 'null' ? undefined : expectedValue(json, type)
        if (json !== 'null' && value === undefined) rejected.set(name, (rejected.get(name) ?? 0) + 1)
        return [name, printed(value, type)]
      }),
    ),
  )
  return { testbed, documents, rows, rejected: Object.fromEntries(rejected) }
}

/** Rows that a reader returned, in the order of the documents. */
export const inOrder = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((one, other) => Number(one['number_of_document']) - Number(other['number_of_document']))
