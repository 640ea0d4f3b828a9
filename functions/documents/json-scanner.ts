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

/** What may stand next, in the grammar of RFC 8259. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

/** Finds the documents of a page, and each one's id. Throws `MalformedPage` on what no JSON parser would accept. */
export class DocumentScanner {
  /** Whether the document found last has a CR or LF between its tokens. */
  hasLineBreaks = false
  readonly #text: Buffer
  readonly #idField: Buffer
  #idStart = -1
  #idEnd = -1
  /** The open containers of the document, by their opening byte. */
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

  /** The bytes of the found document's id, or undefined if it has none that could tell it from others. */
  identity(): Buffer | undefined {
    if (this.#idStart < 0) return undefined
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
    open.length = 0

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
            // An object or a list names no document, and takes the place of an id that stood before it.
            if (valueIsId) this.#idStart = -1
            valueIsId = false
            open.push(byte)
            at++
            expected = byte === openBrace ? 'key-or-end' : 'value-or-end'
            continue
          }
          if (valueIsId) this.#idStart = at
          at = scalarEnd(text, at)
          if (valueIsId) this.#idEnd = at
          valueIsId = false
          expected = 'comma-or-end'
          continue
      }
      // What is left is the end of a container.
      const opened = open.pop()
      if (opened === openBrace ? byte !== closeBrace : byte !== closeBracket) {
        throw malformed(at, 'expected a comma or the end of what is open')
      }
      at++
      if (open.length === 0) return at
      expected = 'comma-or-end'
    }
  }

  /** Byte by byte: a view of each key, made to be compared, takes 1 ms more a MB. */
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
