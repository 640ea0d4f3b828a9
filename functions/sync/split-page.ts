import { isUtf8 } from 'node:buffer'
import { fingerprintBytes, writeFingerprint } from './fingerprint.ts'

export interface SplitPage {
  /** One document a line, each ended by a line feed: the upstream's own bytes. */
  readonly lines: Buffer
  readonly documents: number
  /** A 64-bit fingerprint of each document's identity, 8 bytes each, in the page's order. */
  readonly fingerprints: Buffer
}

/** The body is not what a page must be: a JSON array (RFC 8259) of objects in UTF-8. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage'
}

/**
 * Cuts a page's bytes into documents without parsing and writing them anew, so that no digit, key order or escape
 * changes; a CR or LF can only stand between tokens and becomes a space. It accepts exactly what a JSON parser would.
 * A document is known by the value of `idField`, or else by the hash of its bytes. Throws `MalformedPage`.
 */
export function splitPage(body: Buffer, idField: string): SplitPage {
  if (!isUtf8(body)) throw new MalformedPage('The page is not valid UTF-8.')
  const scanner = new DocumentScanner(body, Buffer.from(idField))
  const lines = Buffer.allocUnsafe(body.length)
  let fingerprints = Buffer.allocUnsafe(1024 * fingerprintBytes)
  let documents = 0
  let written = 0

  for (const { start, end } of scanner.documents()) {
    const lineStart = written
    written += body.copy(lines, written, start, end)
    if (scanner.hasLineBreaks) blankLineBreaks(lines, lineStart, written)
    if ((documents + 1) * fingerprintBytes > fingerprints.length) {
      fingerprints = Buffer.concat([fingerprints, Buffer.allocUnsafe(fingerprints.length)])
    }
    const identity = scanner.identity() ?? lines.subarray(lineStart, written)
    writeFingerprint(identity, fingerprints, documents * fingerprintBytes)
    // There is room: each document stood beside a comma or the closing bracket.
    lines[written++] = lineFeed
    documents++
  }
  return {
    lines: lines.subarray(0, written),
    documents,
    fingerprints: fingerprints.subarray(0, documents * fingerprintBytes),
  }
}

/** A quick look at both ends, for the moment before the whole page is looked at: not HTML, not cut off. */
export function looksWhole(body: Buffer): boolean {
  let start = hasByteOrderMark(body) ? 3 : 0
  let end = body.length - 1
  while (isWhiteSpace(body[start])) start++
  while (end > start && isWhiteSpace(body[end])) end--
  return body[start] === openBracket && body[end] === closeBracket && end > start
}

/** Empty, white space or an empty array: how the upstream ends a scroll. */
export function holdsNothing(body: Buffer): boolean {
  const nextToken = (from: number) => {
    let at = from
    while (isWhiteSpace(body[at])) at++
    return at
  }
  const first = nextToken(hasByteOrderMark(body) ? 3 : 0)
  // A byte order mark alone is the beginning of something that was cut off.
  if (body[first] !== openBracket) return first === body.length && !hasByteOrderMark(body)
  const second = nextToken(first + 1)
  return body[second] === closeBracket && nextToken(second + 1) === body.length
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** What may stand next, in the grammar of RFC 8259. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

class DocumentScanner {
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
    const first = raw[0]
    if (first === quote) return raw.includes(backslash) ? Buffer.from(JSON.stringify(decoded(raw))) : raw
    return first === openBrace || first === openBracket || raw.equals(nullLiteral) ? undefined : raw
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
          if (valueIsId && open.length === 1) this.#idStart = at
          if (byte === openBrace || byte === openBracket) {
            open.push(byte)
            at++
            expected = byte === openBrace ? 'key-or-end' : 'value-or-end'
            continue
          }
          at = scalarEnd(text, at)
          if (valueIsId && open.length === 1) {
            this.#idEnd = at
            valueIsId = false
          }
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
      if (valueIsId && open.length === 1) {
        this.#idEnd = at
        valueIsId = false
      }
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

const nullLiteral = Buffer.from('null')
const literals = [Buffer.from('true'), Buffer.from('false'), nullLiteral]

/** The position after a string, number or literal that begins at `start`. */
function scalarEnd(text: Buffer, start: number): number {
  const byte = text[start]
  if (byte === quote) return stringEnd(text, start + 1) + 1
  if (byte === minus || isDigit(byte)) return numberEnd(text, start)
  for (const literal of literals) {
    if (byte === literal[0] && text.subarray(start, start + literal.length).equals(literal)) {
      return start + literal.length
    }
  }
  throw malformed(start, 'expected a value')
}

/** The position of the quote that closes the string whose first byte is at `start`. */
function stringEnd(text: Buffer, start: number): number {
  let at = start
  for (;;) {
    const byte = text[at]
    if (byte === quote) return at
    if (byte === backslash) at += escapeLength(text, at)
    else if (byte === undefined || byte < 0x20) throw malformed(at, 'expected the end of a string')
    else at++
  }
}

const shortEscapes = new Set(Buffer.from('"\\/bfnrt'))

function escapeLength(text: Buffer, at: number): number {
  const escaped = text[at + 1]
  if (escaped !== undefined && shortEscapes.has(escaped)) return 2
  if (escaped === 0x75 && /^[0-9a-fA-F]{4}$/.test(text.toString('latin1', at + 2, at + 6))) return 6
  throw malformed(at, 'expected an escape')
}

function numberEnd(text: Buffer, start: number): number {
  let at = text[start] === minus ? start + 1 : start
  if (text[at] === 0x30) at++
  else at = digitsEnd(text, at)
  if (text[at] === 0x2e) at = digitsEnd(text, at + 1)
  if (text[at] === 0x65 || text[at] === 0x45) {
    const signed = text[at + 1] === 0x2b || text[at + 1] === minus
    at = digitsEnd(text, at + (signed ? 2 : 1))
  }
  return at
}

function digitsEnd(text: Buffer, start: number): number {
  let at = start
  while (isDigit(text[at])) at++
  if (at === start) throw malformed(at, 'expected a digit')
  return at
}

function blankLineBreaks(bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = 0x20
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === lineFeed || byte === carriageReturn || byte === 0x09
}

/** Some proxies prepend one; RFC 8259 section 8.1 lets a parser ignore it. */
function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** A JSON string's value in one spelling, so that escapes do not make two ids of one. */
function decoded(rawString: Buffer): string {
  return JSON.parse(rawString.toString()) as string
}

function malformed(at: number, expected: string): MalformedPage {
  return new MalformedPage(`The page is not JSON: ${expected} at byte ${at}.`)
}
