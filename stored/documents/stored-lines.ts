import type { Identity } from './identity.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  isWhiteSpace,
  lineFeed,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts'
import { canonicalJson, isAt, isName, malformed, nullLiteral, whiteSpaceEnd } from './json-scalars.ts'
import { Occurrences } from './occurrences.ts'

/** The JSON of a top-level field of a stored document; undefined unless it is a string, a number or a boolean. */
export function scalarOf(document: Uint8Array, field: Buffer): unknown {
  const lines = new PageLines(document, field)
  lines.next()
  const raw = lines.rawId()
  return raw && JSON.parse(Buffer.from(raw).toString())
}

/**
 * Finds the documents of a stored page, one per line, and each one's id. It reads only pages that `splitPage` has
 * validated, so it checks no more than it needs to find its way.
 */
export class PageLines {
  /** Where the current document begins and ends in the page. */
  start = 0
  end = -1
  readonly #text: Buffer
  readonly #idField: Buffer
  /** The value of the id field of the current document; -1 if it has none that identifies it. */
  #idStart = -1
  #idEnd = 0
  readonly #quotedIdField: Occurrences
  readonly #backslash: Occurrences

  constructor(text: Uint8Array, idField: Buffer) {
    this.#text = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
    this.#idField = idField
    this.#quotedIdField = new Occurrences(this.#text, Buffer.from(`"${idField.toString()}"`))
    this.#backslash = new Occurrences(this.#text, backslash)
  }

  /** Moves to the next document. False after the last one. */
  next(): boolean {
    const start = this.end + 1
    if (start >= this.#text.length) return false
    this.moveTo(start)
    return true
  }

  /** Moves to the document that begins here. */
  moveTo(start: number): void {
    this.start = start
    this.#idStart = -1
    this.end = this.#documentEnd(start)
    const next = this.#text[this.end]
    if (next !== lineFeed && next !== undefined) throw malformed(this.end, 'expected the end of the line')
  }

  get hasId(): boolean {
    return this.#idStart !== -1
  }

  /** The current document's id as sent, or undefined if it has none. */
  rawId(): Uint8Array | undefined {
    return this.hasId ? this.#text.subarray(this.#idStart, this.#idEnd) : undefined
  }

  /** What identifies the current document. */
  identity(): Identity {
    if (!this.hasId) return this.#text.subarray(this.start, this.end)
    return canonicalJson(this.#text.toString('utf8', this.#idStart, this.#idEnd))
  }

  #documentEnd(start: number): number {
    const text = this.#text
    if (text[start] !== openBrace) throw malformed(start, 'expected a document')
    let at = start + 1
    for (;;) {
      at = whiteSpaceEnd(text, at)
      if (text[at] === closeBrace) return at + 1
      if (text[at] === comma) at = whiteSpaceEnd(text, at + 1)
      if (text[at] !== quote) throw malformed(at, 'expected a key')
      const keyStart = at + 1
      at = whiteSpaceEnd(text, this.#stringEnd(keyStart) + 1)
      if (text[at] !== colon) throw malformed(at, 'expected a colon')
      at = whiteSpaceEnd(text, at + 1)
      const valueStart = at
      at = this.#valueEnd(valueStart)
      if (isName(text, keyStart, this.#idField)) {
        this.#setId(valueStart, at)
        const end = this.#endIfLastId(at)
        if (end !== undefined) return end
      }
    }
  }

  /** Where the line ends, if the rest of it cannot contain the id field again. Then the rest need not be read. */
  #endIfLastId(from: number): number | undefined {
    const end = this.#text.indexOf(lineFeed, from)
    if (end < 0 || this.#text[end - 1] !== closeBrace) return undefined
    // A name can also be written with escapes.
    const next = Math.min(this.#quotedIdField.next(from), this.#backslash.next(from))
    return next < end ? undefined : end
  }

  /** The last of several id fields counts. An object, a list or null identifies no document. */
  #setId(start: number, end: number): void {
    const first = this.#text[start]
    const isNull = end - start === nullLiteral.length && isAt(this.#text, start, nullLiteral)
    const identifies = first !== openBrace && first !== openBracket && !isNull
    this.#idStart = identifies ? start : -1
    this.#idEnd = end
  }

  /** The position of the quote that closes the string. */
  #stringEnd(start: number): number {
    const text = this.#text
    let at = start
    for (;;) {
      const byte = text[at]
      if (byte === quote) return at
      if (byte === undefined) throw malformed(at, 'expected the end of a string')
      at += byte === backslash ? 2 : 1
    }
  }

  #valueEnd(start: number): number {
    const first = this.#text[start]
    if (first === quote) return this.#stringEnd(start + 1) + 1
    return first === openBrace || first === openBracket ? this.#containerEnd(start) : this.#scalarEnd(start)
  }

  #containerEnd(start: number): number {
    const text = this.#text
    let depth = 0
    let at = start
    for (;;) {
      const byte = text[at]
      if (byte === undefined) throw malformed(at, 'expected the end of a value')
      if (byte === quote) at = this.#stringEnd(at + 1)
      else if (byte === openBrace || byte === openBracket) depth++
      else if (byte === closeBrace || byte === closeBracket) {
        depth--
        if (depth === 0) return at + 1
      }
      at++
    }
  }

  #scalarEnd(start: number): number {
    const text = this.#text
    let at = start
    for (;;) {
      const byte = text[at]
      if (byte === comma || byte === closeBrace || isWhiteSpace(byte)) return at
      if (byte === undefined) throw malformed(at, 'expected the end of a value')
      at++
    }
  }
}
