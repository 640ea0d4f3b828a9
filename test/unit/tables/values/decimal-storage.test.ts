import { expect, it } from 'vitest'
import { decimalStorage } from '../../../../functions/tables/values/decimal-storage.ts'

it.each([
  [1, { type: 'INT32' }],
  [9, { type: 'INT32' }],
  [10, { type: 'INT64' }],
  [18, { type: 'INT64' }],
  [19, { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 9 }],
  [21, { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 9 }],
  [22, { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 10 }],
  [38, { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 }],
] as const)('a decimal of %d digits is stored as Iceberg requires', (precision, storage) => {
  expect(decimalStorage(precision)).toEqual(storage)
  const bits = storage.type === 'INT32' ? 32 : storage.type === 'INT64' ? 64 : 8 * storage.type_length
  expect(10n ** BigInt(precision) - 1n).toBeLessThan(2n ** BigInt(bits - 1))
})
