import { backslash, quote } from '../json-bytes.ts'
import { decoded, malformed } from '../json-scalars.ts'

/** How a string is written, which decides how it is decoded. */
export const notations = { ascii: 0, unicode: 1, escaped: 2 } as const

/** Finds where a string ends and how it is written. */
export class StringText {
  /** Where the closing quote is. */
  end = 0
  notation: number = notations.ascii

  /** Reads the string whose first byte is at `start`. */
  read(text: Buffer, start: number, end: number): void {
    let bits = 0
    let isEscaped = false
    for (let at = start; at < end; at++) {
      const byte = text[at] ?? 0
      if (byte === quote) {
        this.end = at
        this.notation = isEscaped ? notations.escaped : bits < 0x80 ? notations.ascii : notations.unicode
        return
      }
      if (byte === backslash) {
        isEscaped = true
        at++
      }
      bits |= byte
    }
    throw malformed(end, 'expected the end of a string')
  }
}

/** The value of the string between its quotes. */
export function decodeString(text: Buffer, range: { start: number; end: number; notation: number }): string {
  const { start, end, notation } = range
  if (notation === notations.ascii) return text.toString('latin1', start, end)
  if (notation === notations.unicode) return text.toString('utf8', start, end)
  return decoded(`"${text.toString('utf8', start, end)}"`)
}
