import { hash } from 'node:crypto'
import { isoTime } from '../../../stored/documents/iso-8601.ts'
import { withoutLoneSurrogates } from '../../../stored/documents/lone-surrogates.ts'
import { decimalNumber, unscaled } from '../../../stored/schema-report/decimal-number.ts'
import { type JsonValue, textOf } from '../../../stored/schema-report/json-value.ts'
import type { ColumnType } from '../../runtime/settings-schema/columns.ts'

/**
 * What a column stores: text, booleans, numbers for `int` and `double`, days since 1970 for `date`, and bigints for
 * `long`, `decimal` (the number times ten to the power of the scale) and `timestamp` (microseconds since 1970).
 */
export type StoredValue = string | boolean | number | bigint

/** What a column stores for a value that is not null; undefined if it does not fit. `json` returns the value as sent. */
export function columnValue(value: JsonValue, type: ColumnType, json: () => string): StoredValue | undefined {
  const scalar = textOf(value)
  // This is no number and no date.
  const text = scalar ?? ''
  switch (type.kind) {
    case 'json':
      return withoutLoneSurrogates(json())
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'string':
      // UTF-8 cannot represent half of a surrogate pair.
      if (!scalar?.isWellFormed()) return undefined
      return type.hash ? hash(type.hash, scalar) : scalar
    case 'int': {
      const integer = integerOf(text, 32)
      return integer === undefined ? undefined : Number(integer)
    }
    case 'long':
      return integerOf(text, 64)
    case 'double': {
      const double = Number(text)
      return Number.isFinite(double) && decimalNumber(text) ? double : undefined
    }
    case 'decimal': {
      const { precision, scale } = type
      const number = decimalNumber(text)
      if (!number || number.scale > scale || number.integerDigits > precision - scale) return undefined
      return unscaled(number, scale)
    }
    case 'date': {
      const time = isoTime(text)
      return time && Math.floor(time.seconds / secondsOfDay)
    }
    case 'timestamp': {
      const time = isoTime(text)
      return time && BigInt(time.seconds) * microseconds + BigInt(time.microseconds)
    }
  }
}

const secondsOfDay = 86_400
const microseconds = 1_000_000n
const maxLongDigits = 19

function integerOf(text: string, bits: number): bigint | undefined {
  const number = decimalNumber(text)
  if (!number || number.scale > 0 || number.integerDigits > maxLongDigits) return undefined
  const integer = unscaled(number, 0)
  return BigInt.asIntN(bits, integer) === integer ? integer : undefined
}
