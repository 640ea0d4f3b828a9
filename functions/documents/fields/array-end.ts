import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from '../json-bytes.ts'
import { malformed } from '../json-scalars.ts'

/** Where the array ends that begins at `start`. */
export function arrayEnd(text: Buffer, start: number, end: number): number {
  let depth = 0
  for (let at = start; at < end; at++) {
    const byte = text[at]
    if (byte === quote) {
      at++
      while (at < end && text[at] !== quote) at += text[at] === backslash ? 2 : 1
    } else if (byte === openBracket || byte === openBrace) {
      depth++
    } else if (byte === closeBracket || byte === closeBrace) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  throw malformed(end, 'expected the end of an array')
}
