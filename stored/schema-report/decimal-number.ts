/** Larger exponents are cut to this one: no column can store such a number anyway, unless it is zero. */
const maxExponent = 1e9

const jsonNumber = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A number as its significant digits and their place, so that nothing is rounded and that a large exponent costs nothing. */
export interface DecimalNumber {
  readonly sign: string
  /** Without zeros around them: none for zero. */
  readonly digits: string
  /** The power of ten that the last digit stands for. */
  readonly place: number
  /** Digits before the point, without leading zeros. */
  readonly integerDigits: number
  /** Digits after the point, without trailing zeros. */
  readonly scale: number
}

/** Undefined if the text is not a JSON number (RFC 8259) and nothing else. */
export function decimalNumber(text: string): DecimalNumber | undefined {
  const match = jsonNumber.exec(text)
  if (!match) return undefined
  const [, sign = '', integer = '', fraction = '', power = '0'] = match
  const all = integer + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { sign, digits: '', place: 0, integerDigits: 0, scale: 0 }
  let end = all.length
  while (all[end - 1] === '0') end--
  const exponent = Math.max(-maxExponent, Math.min(maxExponent, Number(power)))
  const place = exponent + integer.length - end
  const integerDigits = Math.max(0, exponent + integer.length - first)
  return { sign, digits: all.slice(first, end), place, integerDigits, scale: Math.max(0, -place) }
}

/** The number times ten to the power of `scale`, which must be at least the scale of the number. */
export const unscaled = ({ sign, digits, place }: DecimalNumber, scale: number): bigint =>
  digits === '' ? 0n : BigInt(sign + digits + '0'.repeat(place + scale))
