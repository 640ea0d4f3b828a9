import { DecimalNumber } from '../fields/decimal-number.ts'
import { decimalStorage } from './decimal-storage.ts'
import { isString, type JsonValue, readWithin } from './json-value.ts'
import type { PlainValues } from './plain-values.ts'

const maxIntDigits = 10
const maxLongDigits = 19

const number = new DecimalNumber()

/** The number, including one that is the whole text of a string. Valid until the next call. */
function numberOf(value: Readonly<JsonValue>): DecimalNumber | undefined {
  const isNumber = isString(value)
    ? readWithin(value, number)
    : number.read(value.text, value.start, value.end)
  return isNumber ? number : undefined
}

const hasInteger = (number: DecimalNumber | undefined, maxDigits: number): number is DecimalNumber =>
  number !== undefined && number.scale === 0 && number.integerDigits <= maxDigits

export function writeInt(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const number = numberOf(value)
  if (!hasInteger(number, maxIntDigits)) return false
  const integer = number.safeUnscaled(0)
  // Only the integers of 32 bits stay the same.
  if ((integer | 0) !== integer) return false
  plain.appendInt32(integer)
  return true
}

export function writeLong(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const number = numberOf(value)
  return hasInteger(number, maxLongDigits) && appendInteger(number, 0, plain)
}

export function writeDouble(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const double = numberOf(value)?.double()
  if (double === undefined || !Number.isFinite(double)) return false
  plain.appendDouble(double)
  return true
}

/** Writes numbers times ten to the power of the scale. */
export function decimalWriter({
  precision,
  scale,
}: {
  readonly precision: number
  readonly scale: number
}): (value: Readonly<JsonValue>, plain: PlainValues) => boolean {
  const storage = decimalStorage(precision)
  return (value, plain) => {
    const number = numberOf(value)
    if (!number || number.scale > scale || number.integerDigits > precision - scale) return false
    if (storage.type === 'INT64') return appendInteger(number, scale, plain)
    if (storage.type === 'FIXED_LEN_BYTE_ARRAY')
      plain.appendBigEndian(number.unscaled(scale), storage.type_length)
    else plain.appendInt32(number.safeUnscaled(scale))
    return true
  }
}

/** False if the number times ten to the power of the scale has more than 64 bits. */
function appendInteger(number: DecimalNumber, scale: number, plain: PlainValues): boolean {
  const safe = number.safeUnscaled(scale)
  if (!Number.isNaN(safe)) {
    plain.appendInt64(safe)
    return true
  }
  const integer = number.unscaled(scale)
  if (BigInt.asIntN(64, integer) !== integer) return false
  plain.appendBigInt64(integer)
  return true
}
