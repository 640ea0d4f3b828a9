import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ColumnTypeText,
  columnTypeOf,
} from '../../../../functions/runtime/settings-schema/column-type.ts'
import { columnSchema } from '../../../../functions/tables/parquet/file-column.ts'
import { physicalTypeOf } from '../../../../functions/tables/parquet/physical-type.ts'
import { ValueRange } from '../../../../functions/tables/parquet/value-range.ts'
import { PlainValues } from '../../../../functions/tables/values/plain-values.ts'

interface Case<T> {
  readonly type: ColumnTypeText
  readonly values: fc.Arbitrary<T>
  readonly append: (plain: PlainValues, value: T) => void
  /** Values in the order of the type have this order, too. */
  readonly key: (value: T) => bigint | number | string
}

const aCase = <T>(one: Case<T>) => one as Case<unknown>
const big = (bits: bigint) => fc.bigInt({ min: -(2n ** bits), max: 2n ** bits - 1n })
const cases = [
  aCase<boolean>({
    type: 'boolean',
    values: fc.boolean(),
    append: (plain, value) => plain.appendByte(value ? 1 : 0),
    key: Number,
  }),
  aCase<number>({
    type: 'int',
    values: fc.integer(),
    append: (plain, value) => plain.appendInt32(value),
    key: Number,
  }),
  aCase<bigint>({
    type: 'long',
    values: fc.oneof(big(63n), big(33n), big(10n)),
    append: (plain, value) => plain.appendBigInt64(value),
    key: (value) => value,
  }),
  aCase<number>({
    type: 'timestamp',
    values: fc.maxSafeInteger(),
    append: (plain, value) => plain.appendInt64(value),
    key: BigInt,
  }),
  aCase<number>({
    type: 'double',
    values: fc.double({ noNaN: true, noDefaultInfinity: true }),
    append: (plain, value) => plain.appendDouble(value),
    key: Number,
  }),
  aCase<number>({
    type: 'decimal(9,2)',
    values: fc.integer({ min: -999_999_999, max: 999_999_999 }),
    append: (plain, value) => plain.appendInt32(value),
    key: BigInt,
  }),
  aCase<bigint>({
    type: 'decimal(38,2)',
    values: fc.oneof(big(120n), big(9n)),
    append: (plain, value) => plain.appendBigEndian(value, 16),
    key: (value) => value,
  }),
  aCase<string>({
    type: 'string',
    values: fc.oneof(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.string({ unit: fc.constantFrom('0', '1') }),
    ),
    append: (plain, value) => plain.appendString(value),
    key: (value) => Buffer.from(value).toString('latin1'),
  }),
]

describe('the range of values', () => {
  it.each(cases)('of type $type is from the smallest to the largest one', ({ type, values, append, key }) => {
    const pages = fc.array(fc.array(values, { maxLength: 20 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(pages, (pages) => {
        const element = columnSchema({ name: 'x', from: ['x'], type: columnTypeOf(type), fieldId: 1 })
        const range = new ValueRange(physicalTypeOf(element))
        for (const page of pages) {
          const plain = new PlainValues()
          plain.appendInt32(0)
          for (const value of page) append(plain, value)
          range.add(plain, 4, plain.length)
        }
        const keys = pages.flat().map(key)
        const limits = range.limits()
        expect(limits && [limits.min_value, limits.max_value].map(keyOf)).toEqual(
          keys.length === 0
            ? undefined
            : [
                keys.reduce((one, other) => (other < one ? other : one)),
                keys.reduce((one, other) => (other > one ? other : one)),
              ].map(keyOf),
        )
      }),
    )
  })

  it.each([[[0, -0]], [[0]], [[-0]]])('includes both zeros of doubles: %j', (zeros) => {
    const element = columnSchema({ name: 'x', from: ['x'], type: { kind: 'double' }, fieldId: 1 })
    const range = new ValueRange(physicalTypeOf(element))
    const plain = new PlainValues()
    for (const value of zeros) plain.appendDouble(value)
    range.add(plain, 0, plain.length)
    expect(range.limits()).toEqual({ min_value: -0, max_value: 0 })
  })
})

/** Zeros and the representations of a value are the same here. */
const keyOf = (value: unknown): string =>
  value instanceof Uint8Array
    ? Buffer.from(value).toString('latin1')
    : String(typeof value === 'boolean' ? Number(value) : value)
