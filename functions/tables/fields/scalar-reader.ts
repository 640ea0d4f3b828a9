import { IsoTime } from '../../documents/iso-8601.ts'
import { isDigit, minus } from '../../documents/json-bytes.ts'
import { malformed, scalarEnd } from '../../documents/json-scalars.ts'
import { DecimalNumber } from './decimal-number.ts'
import { type DocumentRecord, kinds } from './document-record.ts'
import type { Field } from './field.ts'
import { decodeString, type StringText } from './string-text.ts'

/** Records the strings, numbers and literals of a document. */
export class ScalarReader {
  readonly #record: DocumentRecord
  readonly #string: StringText
  readonly #number = new DecimalNumber()
  readonly #time = new IsoTime()

  constructor(record: DocumentRecord, string: StringText) {
    this.#record = record
    this.#string = string
  }

  /** Records the string that has just been read, whose first byte is at `start`. */
  recordString(field: Field, text: Buffer, start: number): void {
    const { end, isEscaped } = this.#string
    const isTime =
      text[start + 4] === minus &&
      (isEscaped ? this.#isEscapedTime(text, start, end) : this.#time.read(text, start, end))
    this.#record.add(field, isTime ? kinds.timestamp : kinds.string, end - start)
  }

  /** Reads and records what is neither a string nor an object nor an array. Returns where it ends. */
  read(field: Field, text: Buffer, start: number): number {
    const byte = text[start]
    if (byte === letterT || byte === letterF) {
      this.#record.add(field, kinds.boolean, 0)
      return start + (byte === letterT ? 4 : 5)
    }
    if (byte === letterN) {
      this.#record.add(field, kinds.null, 0)
      return start + 4
    }
    return this.#readNumber(field, text, start)
  }

  #readNumber(field: Field, text: Buffer, start: number): number {
    const digits = text[start] === minus ? start + 1 : start
    let at = digits
    while (isDigit(text[at])) at++
    if (at === digits) throw malformed(start, 'expected a value')
    if (text[at] !== point && text[at] !== lowerE && text[at] !== upperE) {
      this.#record.add(field, kinds.integer, at - digits)
      return at
    }
    const end = scalarEnd(text, start)
    this.#number.read(text, start, end)
    const { integerDigits, scale } = this.#number
    this.#record.addDecimal(field, Math.max(1, integerDigits + scale), scale)
    return end
  }

  #isEscapedTime(text: Buffer, start: number, end: number): boolean {
    const decoded = Buffer.from(decodeString(text, { start, end, isEscaped: true }))
    return this.#time.read(decoded, 0, decoded.length)
  }
}

const point = 0x2e
const upperE = 0x45
const letterF = 0x66
const lowerE = 0x65
const letterN = 0x6e
const letterT = 0x74
