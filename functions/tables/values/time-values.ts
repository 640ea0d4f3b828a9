import { IsoTime } from '../../documents/iso-8601.ts'
import { isString, type JsonValue, readWithin } from './json-value.ts'
import type { PlainValues } from './plain-values.ts'

const secondsOfDay = 86_400
const microseconds = 1_000_000
/** Seconds whose microseconds are exact as a double: up to the year 2255. */
const maxExactSeconds = 9_000_000_000

const time = new IsoTime()

/** Writes days since 1970 in UTC. */
export function writeDate(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  if (!isString(value) || !readWithin(value, time)) return false
  plain.appendInt32(time.day)
  return true
}

/** Writes microseconds since 1970 in UTC. */
export function writeTimestamp(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  if (!isString(value) || !readWithin(value, time)) return false
  const seconds = time.day * secondsOfDay + time.second
  if (Math.abs(seconds) < maxExactSeconds) plain.appendInt64(seconds * microseconds + time.microsecond)
  else plain.appendBigInt64(BigInt(seconds) * BigInt(microseconds) + BigInt(time.microsecond))
  return true
}
