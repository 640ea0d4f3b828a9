import { IsoTime } from '../../documents/iso-8601.ts'
import type { ColumnType } from '../../runtime/settings-schema/columns.ts'
import { isString, type JsonValue, readWithin } from './json-value.ts'
import { decimalWriter, writeDouble, writeInt, writeLong } from './number-values.ts'
import type { PlainValues } from './plain-values.ts'
import { writeBoolean, writeJson, writeText, writeTextHash } from './text-values.ts'

/** Appends what a column stores for a value that is not null. False if the value does not fit; nothing is appended then. */
export type ValueWriter = (value: Readonly<JsonValue>, plain: PlainValues) => boolean

const writers = {
  string: writeText,
  boolean: writeBoolean,
  int: writeInt,
  long: writeLong,
  double: writeDouble,
  date: writeDate,
  timestamp: writeTimestamp,
  json: writeJson,
} satisfies Record<string, ValueWriter>

export function valueWriter(type: ColumnType): ValueWriter {
  if (type.kind === 'decimal') return decimalWriter(type)
  return type.kind === 'string' && type.hash ? writeTextHash : writers[type.kind]
}

const secondsOfDay = 86_400
const microseconds = 1_000_000
/** Seconds whose microseconds are exact as a double: up to the year 2255. */
const maxExactSeconds = 9_000_000_000

const time = new IsoTime()

/** Writes days since 1970 in UTC. */
function writeDate(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  if (!isString(value) || !readWithin(value, time)) return false
  plain.appendInt32(time.day)
  return true
}

/** Writes microseconds since 1970 in UTC. */
function writeTimestamp(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  if (!isString(value) || !readWithin(value, time)) return false
  const seconds = time.day * secondsOfDay + time.second
  if (Math.abs(seconds) < maxExactSeconds) plain.appendInt64(seconds * microseconds + time.microsecond)
  else plain.appendBigInt64(BigInt(seconds) * BigInt(microseconds) + BigInt(time.microsecond))
  return true
}
