import { DecimalNumber } from '../../documents/decimal-number.ts'
import { isString, type JsonValue, readWithin } from './json-value.ts'

const maxIntDigits = 10
const maxLongDigits = 19

const number = new DecimalNumber()

/** The number, also if it is the whole text of a string. Valid until the next call. */
function numberOf(value: Readonly<JsonValue>): DecimalNumber | undefined {
  const isNumber = isString(value)
    ? readWithin(value, number)
    : number.read(value.text, value.start, value.end)
  return isNumber ? number : undefined
}

function integerOf(value: Readonly<JsonValue>, maxDigits: number): bigint | undefined {
  const number = numberOf(value)
  return number && number.scale === 0 && number.integerDigits <= maxDigits ? number.unscaled(0) : undefined
}

export function readInt(value: Readonly<JsonValue>): number | undefined {
  const integer = integerOf(value, maxIntDigits)
  return integer !== undefined && BigInt.asIntN(32, integer) === integer ? Number(integer) : undefined
}

export function readLong(value: Readonly<JsonValue>): bigint | undefined {
  const integer = integerOf(value, maxLongDigits)
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined
}

export function readDouble(value: Readonly<JsonValue>): number | undefined {
  const double = numberOf(value)?.double()
  return double !== undefined && Number.isFinite(double) ? double : undefined
}

/** The number times ten to the power of the scale. */
export function readDecimal(
  value: Readonly<JsonValue>,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint | undefined {
  const number = numberOf(value)
  const fits = number && number.scale <= scale && number.integerDigits <= precision - scale
  return fits ? number.unscaled(scale) : undefined
}
