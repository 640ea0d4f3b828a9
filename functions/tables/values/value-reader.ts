import type { ColumnType } from '../../runtime/settings-schema/columns.ts'
import type { JsonValue } from './json-value.ts'
import { readDecimal, readDouble, readInt, readLong } from './number-values.ts'
import { readBoolean, readJson, readText, readTextHash } from './text-values.ts'
import { readDate, readTimestamp } from './time-values.ts'

/**
 * What a column stores: text, booleans, numbers for `int` and `double`, days since 1970 for `date`, and bigints for
 * `long`, `decimal` (the number times ten to the power of the scale) and `timestamp` (microseconds since 1970).
 */
export type StoredValue = string | boolean | number | bigint

/** Returns what a column stores for a value that is not null; undefined if the value does not fit the column. */
export type ValueReader = (value: Readonly<JsonValue>) => StoredValue | undefined

const readers = {
  string: readText,
  boolean: readBoolean,
  int: readInt,
  long: readLong,
  double: readDouble,
  date: readDate,
  timestamp: readTimestamp,
  json: readJson,
} satisfies Record<string, ValueReader>

export function valueReader(type: ColumnType): ValueReader {
  if (type.kind === 'decimal') return (value) => readDecimal(value, type)
  return type.kind === 'string' && type.hash ? readTextHash : readers[type.kind]
}
