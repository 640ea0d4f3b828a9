import { backslash, quote } from '../../documents/json-bytes.ts'
import { decoded, malformed } from '../../documents/json-scalars.ts'
import { Occurrences } from '../../documents/occurrences.ts'

/** Most strings end within this many bytes. For longer ones a search is faster. */
const maxShortLength = 32

/** Finds where a string ends and whether it contains escapes. */
export class StringText {
  /** Where the closing quote is. */
  end = 0
  isEscaped = false
  #text: Buffer | undefined
  #backslash = new Occurrences(Buffer.alloc(0), backslash)

  /** Sets the text whose strings are read next. Its bytes must not change. */
  open(text: Buffer): void {
    if (text === this.#text) return
    this.#text = text
    this.#backslash = new Occurrences(text, backslash)
  }

  /** Reads the string of the text whose first byte is at `start`. */
  read(text: Buffer, start: number, end: number): void {
    this.isEscaped = false
    this.end = this.#find(text, start, end)
    if (this.end < 0 || this.end >= end) throw malformed(end, 'expected the end of a string')
  }

  /** -1 or more than `end` if there is no closing quote. */
  #find(text: Buffer, start: number, end: number): number {
    const near = Math.min(end, start + maxShortLength)
    let at = start
    for (; at < near; at++) {
      const byte = text[at]
      if (byte === quote) return at
      if (byte === backslash) return this.#findEscaped(text, at, end)
    }
    const found = text.indexOf(quote, at)
    return this.#backslash.next(at) < found ? this.#findEscaped(text, at, end) : found
  }

  #findEscaped(text: Buffer, start: number, end: number): number {
    this.isEscaped = true
    let at = start
    while (at < end && text[at] !== quote) at += text[at] === backslash ? 2 : 1
    return at
  }
}

/** The value of the string between its quotes. */
export function decodeString(
  text: Buffer,
  { start, end, isEscaped }: { readonly start: number; readonly end: number; readonly isEscaped: boolean },
): string {
  const string = text.toString('utf8', start, end)
  return isEscaped ? decoded(`"${string}"`) : string
}
