/** A number as digits without a point, and how many of them follow it. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const pattern = /^-?(\d{1,30})(?:\.(\d{1,30}))?$/

/** Undefined for JSON text that is no number, or that has an exponent. */
export function decimalOf(json: string | null): Decimal | undefined {
  if (json === null || !pattern.test(json)) return undefined
  const scale = json.includes('.') ? json.length - json.indexOf('.') - 1 : 0
  return { digits: BigInt(json.replace('.', '')), scale }
}

/** The sum of decimal numbers, without rounding. */
export class ExactSum {
  #digits = 0n
  #scale = 0

  add({ digits, scale }: Decimal, sign: 1n | -1n): void {
    if (scale > this.#scale) {
      this.#digits *= 10n ** BigInt(scale - this.#scale)
      this.#scale = scale
    }
    this.#digits += sign * digits * 10n ** BigInt(this.#scale - scale)
  }

  /** `+12,345`, `−0.5` or `0` */
  text(): string {
    const digits = String(this.#digits)
      .replace('-', '')
      .padStart(this.#scale + 1, '0')
    const whole = BigInt(digits.slice(0, digits.length - this.#scale))
    const fraction = digits.slice(digits.length - this.#scale).replace(/0+$/, '')
    const sign = this.#digits === 0n ? '' : this.#digits < 0n ? '−' : '+'
    return `${sign}${whole.toLocaleString('en')}${fraction === '' ? '' : `.${fraction}`}`
  }
}
