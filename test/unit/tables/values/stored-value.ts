import { expect } from 'vitest'
import type { ColumnType } from '../../../../functions/runtime/settings-schema/columns.ts'

/**
 * What a column stores: text, booleans, numbers for `int` and `double`, days since 1970 for `date`, and bigints for
 * `long`, `decimal` (the number times ten to the power of the scale) and `timestamp` (microseconds since 1970).
 */
export type StoredValue = string | boolean | number | bigint

/** The value that these bytes are in Parquet's encoding PLAIN. */
export function storedValue(bytes: Buffer, type: ColumnType): StoredValue {
  switch (type.kind) {
    case 'string':
    case 'json':
      expect(bytes.readUInt32LE()).toBe(bytes.length - 4)
      return bytes.toString('utf8', 4)
    case 'boolean':
      expect(bytes.length).toBe(1)
      return bytes[0] === 1
    case 'int':
    case 'date':
      expect(bytes.length).toBe(4)
      return bytes.readInt32LE()
    case 'double':
      expect(bytes.length).toBe(8)
      return bytes.readDoubleLE()
    case 'long':
    case 'timestamp':
      expect(bytes.length).toBe(8)
      return bytes.readBigInt64LE()
    case 'decimal':
      if (type.precision <= 9) return BigInt(bytes.readInt32LE())
      if (type.precision <= 18) return bytes.readBigInt64LE()
      return BigInt.asIntN(8 * bytes.length, BigInt(`0x${bytes.toString('hex')}`))
  }
}
