import { IsoTime } from '../../documents/iso-8601.ts'
import { isString, type JsonValue, readWithin } from './json-value.ts'

const secondsOfDay = 86_400
const microseconds = 1_000_000
/** Seconds whose microseconds are exact as a double: up to the year 2255. */
const maxExactSeconds = 9_000_000_000

const time = new IsoTime()

/** Days since 1970 in UTC. */
export function readDate(value: Readonly<JsonValue>): number | undefined {
  return isString(value) && readWithin(value, time) ? time.day : undefined
}

/** Microseconds since 1970 in UTC. */
export function readTimestamp(value: Readonly<JsonValue>): bigint | undefined {
  if (!isString(value) || !readWithin(value, time)) return undefined
  const seconds = time.day * secondsOfDay + time.second
  return Math.abs(seconds) < maxExactSeconds
    ? BigInt(seconds * microseconds + time.microsecond)
    : BigInt(seconds) * BigInt(microseconds) + BigInt(time.microsecond)
}
