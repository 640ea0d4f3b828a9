import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ColumnTypeText } from '../../../../functions/runtime/settings-schema/column-type.ts'
import { columnTypeOf } from '../../../../functions/runtime/settings-schema/column-type.ts'
import type { ColumnType } from '../../../../functions/runtime/settings-schema/columns.ts'
import { expectedValue } from '../../../../functions/tables/check/expected-value.ts'
import { columnValue, type StoredValue } from '../../../../functions/tables/values/column-value.ts'
import { type JsonValue, memberAt, parseSent } from '../../../../stored/schema-report/json-value.ts'
import { runsToTry } from '../../../case-count.ts'
import { jsonValues } from './json-values.ts'

/** What a column stores for the JSON of a value. */
function stored(json: string, type: ColumnType): StoredValue | undefined {
  const path = ['a', 'v']
  const values = [' ', ''].map((space) => {
    const { members, jsonAt } = parseSent(Buffer.from(`{"a":{"v":${space}${json}},"b":"}"}`))
    return columnValue(memberAt(members, path) as JsonValue, type, () => jsonAt(path))
  })
  expect(values[0]).toBe(values[1])
  return values[0]
}

const storedAs = (json: string, type: ColumnTypeText) => stored(json, columnTypeOf(type))
const string = (text: string) => JSON.stringify(text)
const day = (text: string) => Date.parse(text) / 86_400_000
const micros = (milliseconds: number) => BigInt(milliseconds) * 1000n

describe('a column of type string', () => {
  it.each<[string, string | undefined]>([
    ['"x"', 'x'],
    ['""', ''],
    ['"ção 😀"', 'ção 😀'],
    ['"\\u00e7\\n\\"\\\\\\ud83d\\ude00"', 'ç\n"\\😀'],
    ['"\\u0000"', '\0'],
    ['"\\ufffd"', '\ufffd'],
    ['"\ufffd"', '\ufffd'],
    ['true', 'true'],
    ['false', 'false'],
    ['-0', '-0'],
    ['1.0', '1.0'],
    ['1E+5', '1E+5'],
    ['12345678901234567890.10', '12345678901234567890.10'],
    ['{}', undefined],
    ['{"a":1}', undefined],
    ['[]', undefined],
    ['"\\ud800"', undefined],
    ['"x\\udc00\\ud800"', undefined],
  ])('stores %s as %j', (json, text) => expect(storedAs(json, 'string')).toBe(text))

  it('stores the SHA-256 of the text in place of it', () => {
    const hashed = { kind: 'string', hash: 'sha256' } as const
    const sha256 = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
    expect(stored('"x"', hashed)).toBe(sha256)
    expect(stored('"\\u0078"', hashed)).toBe(sha256)
    expect(stored('12', hashed)).toBe(stored('"12"', hashed))
    expect(stored('"ção"', hashed)).toBe('4ab2d81279c483cb89ff8224683c386fc9ad7837c9fe19a3f6c32af25384bdaf')
    expect(stored('[1]', hashed)).toBe(undefined)
  })
})

it.each<[string, number | undefined]>([
  ['-0', -0],
  ['"-0.0"', -0],
  ['0.1', 0.1],
  ['1e308', 1e308],
  ['1e400', undefined],
  ['-1e400', undefined],
  ['1e-400', 0],
  ['9007199254740993', 9_007_199_254_740_992],
  ['"1.5"', 1.5],
  ['"NaN"', undefined],
  ['"Infinity"', undefined],
  ['"1,5"', undefined],
])('a column of type double stores %s as %d', (json, value) => expect(storedAs(json, 'double')).toBe(value))

describe('a column of type timestamp', () => {
  it.each<[string, bigint | undefined]>([
    ['2026-07-17T12:24:51Z', micros(Date.UTC(2026, 6, 17, 12, 24, 51))],
    ['2026-07-17T12:24:51', micros(Date.UTC(2026, 6, 17, 12, 24, 51))],
    ['2026-07-17T12:24Z', micros(Date.UTC(2026, 6, 17, 12, 24))],
    ['2026-07-17', micros(Date.UTC(2026, 6, 17))],
    ['2026-07-17T12:24:51.8155709Z', micros(Date.UTC(2026, 6, 17, 12, 24, 51)) + 815_570n],
    ['2026-07-17T12:24:51,5Z', micros(Date.UTC(2026, 6, 17, 12, 24, 51, 500))],
    ['2026-07-17T23:30:00-03:00', micros(Date.UTC(2026, 6, 18, 2, 30))],
    ['2026-07-17T00:30:00+0530', micros(Date.UTC(2026, 6, 16, 19))],
    ['2026-07-17T00:30:00+14', micros(Date.UTC(2026, 6, 16, 10, 30))],
    ['1970-01-01T00:00:00-00:00', 0n],
    ['1969-12-31T23:59:59.9999999Z', -1n],
    ['1582-10-15T00:00:00Z', micros(Date.UTC(1582, 9, 15))],
    ['2000-02-29T00:00:00Z', micros(Date.UTC(2000, 1, 29))],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000_000n],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
    ['2026-07-17T12:24:51.815570919Z', micros(Date.UTC(2026, 6, 17, 12, 24, 51)) + 815_570n],
    ['2026-07-17T12:24:51.8155709191Z', undefined],
    ['2026-07-17T12:24:51.Z', undefined],
    ['1900-02-29T00:00:00Z', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-00-10T00:00:00Z', undefined],
    ['2026-01-00T00:00:00Z', undefined],
    ['2026-01-01T24:00:00Z', undefined],
    ['2026-01-01T12:60:00Z', undefined],
    ['2016-12-31T23:59:60Z', undefined],
    ['0000-12-31T00:00:00Z', undefined],
    ['0001-01-01T00:00:00+00:01', undefined],
    ['9999-12-31T23:59:59-00:01', undefined],
    ['0000-12-31T23:59:59-01:00', undefined],
    ['10000-01-01T00:00:00Z', undefined],
    ['+002026-01-01T00:00:00Z', undefined],
    ['-0001-01-01T00:00:00Z', undefined],
    ['2026-07-17T12', undefined],
    ['2026-07-17T', undefined],
    ['2026-07-17 12:24:51', micros(Date.UTC(2026, 6, 17, 12, 24, 51))],
    ['2026-07-17t12:24:51z', micros(Date.UTC(2026, 6, 17, 12, 24, 51))],
    ['2026-07-17  12:24:51', undefined],
    ['2026-07-17Z', undefined],
    ['2026-07-17T12:24:51+3', undefined],
    ['2026-07-17T12:24:51+24:00', undefined],
    ['2026-07-17T12:24:51Zx', undefined],
    ['2026-07-17T12:24:51 ', undefined],
    ['2026-7-17', undefined],
    ['20260717', undefined],
    ['2026-W29-5', undefined],
    ['17/07/2026', undefined],
    ['/Date(1784291091000)/', undefined],
    ['', undefined],
  ])('stores %s as %s', (text, value) => expect(storedAs(string(text), 'timestamp')).toBe(value))

  it('decodes escapes, which some platforms write for the sign of an offset', () => {
    expect(storedAs('"1970-01-01T01:00:00\\u002B01:00"', 'timestamp')).toBe(0n)
  })

  it.each(['1784291091000', 'true', '{}', '["2026-07-17"]'])('refuses %s', (json) => {
    expect(storedAs(json, 'timestamp')).toBe(undefined)
  })
})

it.each<[string, number | undefined]>([
  ['2026-07-17', day('2026-07-17')],
  ['2026-07-17T23:30:00-03:00', day('2026-07-18')],
  ['2026-07-17T00:30:00+05:30', day('2026-07-16')],
  ['1969-12-31T23:59:59.9999999Z', -1],
  ['0001-01-01', day('0001-01-01')],
  ['9999-12-31', day('9999-12-31')],
  ['0000-12-31', undefined],
  ['2026-02-29', undefined],
])('a column of type date stores %s as %s days since 1970', (text, value) => {
  expect(storedAs(string(text), 'date')).toBe(value)
})

describe('a column of type json', () => {
  it.each(['{ "a" : [1.0, "\\u00e9"] }', '[]', '"x"', '1e400', 'true', '"\\u0000"', '"\\ud83d\\ude00"'])(
    'stores %s as the platform sent it',
    (json) => expect(storedAs(json, 'json')).toBe(json),
  )

  it('stores U+FFFD in place of half of a surrogate pair, which readers of JSON refuse', () => {
    const json = String.raw`{"\ud83d":["\udc00 \ud83d\ude00"]}`
    expect(storedAs(json, 'json')).toBe(String.raw`{"\ufffd":["\ufffd \ud83d\ude00"]}`)
  })
})

const types = fc.oneof(
  fc.constantFrom<ColumnType>(
    { kind: 'string' },
    { kind: 'string', hash: 'sha256' },
    { kind: 'boolean' },
    { kind: 'int' },
    { kind: 'long' },
    { kind: 'double' },
    { kind: 'date' },
    { kind: 'timestamp' },
    { kind: 'json' },
  ),
  fc
    .tuple(fc.integer({ min: 1, max: 38 }), fc.nat(38))
    .map(
      ([precision, scale]): ColumnType => ({ kind: 'decimal', precision, scale: Math.min(precision, scale) }),
    ),
)

it('stores any value as exact integer arithmetic computes it', () => {
  fc.assert(
    fc.property(jsonValues, types, (json, type) => {
      fc.pre(json !== 'null')
      expect(stored(json, type)).toBe(expectedValue(json, type))
    }),
    { numRuns: runsToTry(5000) },
  )
})
