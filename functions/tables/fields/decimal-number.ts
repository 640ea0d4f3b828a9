import { isDigit, minus } from '../../documents/json-bytes.ts'

/** Larger exponents are cut to this one: no column can store such a number anyway, unless it is zero. */
const maxExponent = 1e9

/**
 * Reads a JSON number (RFC 8259) as significant digits and their place, so that nothing is rounded and that a large
 * exponent costs nothing.
 */
export class DecimalNumber {
  isNegative = false
  isZero = false
  /** Digits before the point, without leading zeros. */
  integerDigits = 0
  /** Digits after the point, without trailing zeros. */
  scale = 0
  #start = 0
  #end = 0
  #text: Buffer = Buffer.alloc(0)
  /** The first and the last digit that is not zero. */
  #first = 0
  #last = 0
  /** The power of ten that the last of them stands for. */
  #lastPlace = 0

  /** Whether the text from `start` to `end` is a number and nothing else. The other members then describe it. */
  read(text: Buffer, start: number, end: number): boolean {
    this.#text = text
    this.#start = start
    this.#end = end
    this.#first = -1
    this.isNegative = text[start] === minus && start < end
    const integerStart = this.isNegative ? start + 1 : start
    let at = this.#readDigits(integerStart, end)
    const integerEnd = at
    if (integerEnd === integerStart || (text[integerStart] === zero && integerEnd - integerStart > 1))
      return false
    if (text[at] === point && at < end) {
      at = this.#readDigits(integerEnd + 1, end)
      if (at === integerEnd + 1) return false
    }
    let exponent = 0
    if ((text[at] === lowerE || text[at] === upperE) && at < end) {
      exponent = exponentOf(text, at + 1, end)
      at = end
    }
    if (at !== end || Number.isNaN(exponent)) return false
    this.#place(integerEnd, exponent)
    return true
  }

  /** The number times ten to the power of `scale`, which must be at least the scale of the number. */
  unscaled(scale: number): bigint {
    const safe = this.safeUnscaled(scale)
    if (!Number.isNaN(safe)) return BigInt(safe)
    const text = this.#text.toString('latin1', this.#first, this.#last + 1).replace('.', '')
    const value = BigInt(text + '0'.repeat(this.#lastPlace + scale))
    return this.isNegative ? -value : value
  }

  /** The same without a bigint. NaN if it has so many digits that a double might not be exact. */
  safeUnscaled(scale: number): number {
    if (this.isZero) return 0
    const zeros = this.#lastPlace + scale
    if (this.#last - this.#first + 1 + zeros > maxExactDigits) return Number.NaN
    const value = this.#significand() * (powersOfTen[zeros] ?? Number.NaN)
    return this.isNegative ? -value : value
  }

  /** The nearest double, which may be infinite. */
  double(): number {
    if (this.isZero) return this.isNegative ? -0 : 0
    const power = powersOfTen[Math.abs(this.#lastPlace)]
    if (power === undefined || this.#last - this.#first + 1 > maxExactDigits)
      return Number(this.#text.toString('latin1', this.#start, this.#end))
    // Both are exact, so the result is rounded once, as it should be.
    const significand = this.#significand()
    const value = this.#lastPlace < 0 ? significand / power : significand * power
    return this.isNegative ? -value : value
  }

  /** The digits from the first to the last one that is not zero, as an integer. */
  #significand(): number {
    let value = 0
    for (let at = this.#first; at <= this.#last; at++) {
      const byte = this.#text[at] ?? 0
      if (byte !== point) value = value * 10 + byte - zero
    }
    return value
  }

  #readDigits(start: number, end: number): number {
    const text = this.#text
    let at = start
    for (; at < end && isDigit(text[at]); at++) {
      if (text[at] === zero) continue
      if (this.#first < 0) this.#first = at
      this.#last = at
    }
    return at
  }

  #place(integerEnd: number, exponent: number): void {
    this.isZero = this.#first < 0
    if (this.isZero) {
      this.integerDigits = 0
      this.scale = 0
      return
    }
    this.#lastPlace = placeOf(this.#last, integerEnd) + exponent
    this.integerDigits = Math.max(0, placeOf(this.#first, integerEnd) + exponent + 1)
    this.scale = Math.max(0, -this.#lastPlace)
  }
}

const zero = 0x30
const plus = 0x2b
const point = 0x2e
const upperE = 0x45
const lowerE = 0x65

/** Integers of this many digits are exact as doubles. */
const maxExactDigits = 15
/** The powers of ten that are exact as doubles. */
const powersOfTen = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))

/** The power of ten that a digit stands for without an exponent. `integerEnd` is where the point is or would be. */
const placeOf = (digit: number, integerEnd: number) => integerEnd - digit - (digit < integerEnd ? 1 : 0)

/** NaN if the text is not an exponent. */
function exponentOf(text: Buffer, start: number, end: number): number {
  const isNegative = text[start] === minus
  let at = isNegative || text[start] === plus ? start + 1 : start
  if (at >= end) return Number.NaN
  let exponent = 0
  for (; at < end; at++) {
    if (!isDigit(text[at])) return Number.NaN
    exponent = Math.min(maxExponent, exponent * 10 + (text[at] ?? 0) - zero)
  }
  return isNegative ? -exponent : exponent
}
