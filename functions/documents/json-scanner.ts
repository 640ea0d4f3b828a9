import {
  backslash,
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  hasByteOrderMark,
  isWhiteSpace,
  lineFeed,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts'
import { decoded, MalformedPage, malformed, nullLiteral, scalarEnd, stringEnd } from './json-scalars.ts'

/** Deeper documents are refused, so that a hostile page cannot use up the memory. */
const maxDepth = 1000

/** The next token in the grammar of RFC 8259. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

/** Finds the documents of a page and their ids. Throws `MalformedPage` for what a JSON parser would reject. */
export class DocumentScanner {
  /** Whether the last document contains a CR or LF between its tokens. */
  hasLineBreaks = false
  readonly #text: Buffer
  readonly #idField: Buffer
  #idStart = -1
  #idEnd = 0
  /** The opening bytes of the objects and arrays that are open at the current position. */
  readonly #open: number[] = []

  constructor(text: Buffer, idField: Buffer) {
    this.#text = text
    this.#idField = idField
  }

  *documents(): Generator<{ start: number; end: number }> {
    const text = this.#text
    let at = this.#skipWhiteSpace(hasByteOrderMark(text) ? 3 : 0)
    if (text[at] !== openBracket) throw new MalformedPage('The page is not a JSON array.')
    at = this.#skipWhiteSpace(at + 1)
    if (text[at] === closeBracket) return this.#expectEnd(at + 1)
    for (;;) {
      if (text[at] !== openBrace) throw malformed(at, 'expected a document')
      const end = this.#documentEnd(at)
      yield { start: at, end }
      at = this.#skipWhiteSpace(end)
      if (text[at] === closeBracket) return this.#expectEnd(at + 1)
      if (text[at] !== comma) throw malformed(at, 'expected a comma or the end of the page')
      at = this.#skipWhiteSpace(at + 1)
    }
  }

  /** The JSON bytes of the last document's id. Undefined if it is missing, null, an object or an array. */
  identity(): Buffer | undefined {
    if (this.#idStart === -1) return undefined
    const raw = this.#text.subarray(this.#idStart, this.#idEnd)
    if (raw[0] === quote) return raw.includes(backslash) ? Buffer.from(JSON.stringify(decoded(raw))) : raw
    return raw.equals(nullLiteral) ? undefined : raw
  }

  #expectEnd(at: number): void {
    if (this.#skipWhiteSpace(at) !== this.#text.length)
      throw malformed(at, 'expected nothing after the array')
  }

  #skipWhiteSpace(from: number): number {
    let at = from
    while (isWhiteSpace(this.#text[at])) at++
    return at
  }

  #documentEnd(start: number): number {
    const text = this.#text
    const open = this.#open
    let at = start
    let expected: Expected = 'value'
    let valueIsId = false
    this.hasLineBreaks = false
    this.#idStart = -1

    for (;;) {
      const byte = text[at]
      if (byte === 0x20 || byte === 0x09) {
        at++
        continue
      }
      if (byte === lineFeed || byte === carriageReturn) {
        this.hasLineBreaks = true
        at++
        continue
      }
      switch (expected) {
        case 'key':
        case 'key-or-end': {
          if (byte === quote) {
            const end = stringEnd(text, at + 1)
            valueIsId = open.length === 1 && this.#isIdField(at + 1, end)
            at = end + 1
            expected = 'colon'
            continue
          }
          if (expected === 'key' || byte !== closeBrace) throw malformed(at, 'expected a key')
          break
        }
        case 'colon':
          if (byte !== colon) throw malformed(at, 'expected a colon')
          at++
          expected = 'value'
          continue
        case 'comma-or-end':
          if (byte === comma) {
            at++
            expected = open[open.length - 1] === openBrace ? 'key' : 'value'
            continue
          }
          break
        case 'value':
        case 'value-or-end':
          if (expected === 'value-or-end' && byte === closeBracket) break
          if (byte === openBrace || byte === openBracket) {
            // An object or array is not an id. It replaces an earlier value of the same key.
            if (valueIsId) this.#idStart = -1
            valueIsId = false
            if (open.length === maxDepth)
              throw new MalformedPage(`A document is nested more than ${maxDepth} levels deep at byte ${at}.`)
            open.push(byte)
            at++
            expected = byte === openBrace ? 'key-or-end' : 'value-or-end'
            continue
          }
          if (valueIsId) this.#idStart = at
          at = scalarEnd(text, at)
          if (valueIsId) this.#idEnd = at
          expected = 'comma-or-end'
          continue
      }
      // The only remaining case is the end of an object or array.
      const opened = open.pop()
      if (opened === openBrace ? byte !== closeBrace : byte !== closeBracket) {
        throw malformed(at, 'expected a comma or the end of the object or array')
      }
      at++
      if (open.length === 0) return at
      expected = 'comma-or-end'
    }
  }

  /** Compares byte by byte, without creating a view of each key. */
  #isIdField(start: number, end: number): boolean {
    const idField = this.#idField
    const sameLength = end - start === idField.length
    for (let at = start; at < end; at++) {
      const byte = this.#text[at]
      if (byte === backslash) {
        return Buffer.from(decoded(this.#text.subarray(start - 1, end + 1))).equals(idField)
      }
      if (sameLength && byte !== idField[at - start]) return false
    }
    return sameLength
  }
}
