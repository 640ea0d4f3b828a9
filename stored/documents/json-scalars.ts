import {
  backslash,
  closeBrace,
  closeBracket,
  isDigit,
  isWhiteSpace,
  minus,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts'

/** The body is not a page: a JSON array (RFC 8259) of objects in UTF-8. */
export class MalformedPage extends Error {
  override readonly name = 'MalformedPage'
  /** Equal for the same malformed document, wherever it is on a page. Absent if the page ends within the document. */
  readonly signature: string | undefined
  /** The byte that was not expected, if one is to blame. */
  readonly at: number | undefined

  constructor(message: string, { signature, at }: { signature?: string; at?: number } = {}) {
    super(message)
    this.signature = signature
    this.at = at
  }
}

export const nullLiteral = Buffer.from('null')
const literals = [Buffer.from('true'), Buffer.from('false'), nullLiteral]

/** The position of the first byte that is not white space. */
export function whiteSpaceEnd(text: Buffer, start: number): number {
  let at = start
  while (isWhiteSpace(text[at])) at++
  return at
}

/** The position after the string, number or literal that starts at `start`. */
export function scalarEnd(text: Buffer, start: number): number {
  const byte = text[start]
  if (byte === quote) return stringEnd(text, start + 1) + 1
  if (byte === minus || isDigit(byte)) return numberEnd(text, start)
  for (const literal of literals) {
    if (isAt(text, start, literal)) return start + literal.length
  }
  throw malformed(start, 'expected a value')
}

/** Where the array or object ends that begins at `start`. */
export function containerEnd(text: Buffer, start: number, end = text.length): number {
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

/** Whether these bytes are at a position. Compares one by one, without creating a view of the text. */
export function isAt(text: Buffer, start: number, bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (text[start + at] !== bytes[at]) return false
  return true
}

/** The position of the quote that closes the string whose first byte is at `start`. */
export function stringEnd(text: Buffer, start: number): number {
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

/** Whether the string whose first byte is at `start` is a name, written with or without escapes. */
export function isName(text: Buffer, start: number, name: Buffer): boolean {
  for (let at = 0; at < name.length; at++) {
    const byte = text[start + at]
    if (byte === backslash)
      return decoded(text.toString('utf8', start - 1, stringEnd(text, start) + 1)) === name.toString()
    if (byte === quote || byte !== name[at]) return false
  }
  return text[start + name.length] === quote
}

/** The value of a JSON string, with its quotes, after decoding its escapes. */
export function decoded(json: string): string {
  return JSON.parse(json) as string
}

/** The JSON of an id, without unnecessary escapes. */
export function canonicalJson(json: string): string {
  return json.includes('\\') ? JSON.stringify(decoded(json)) : json
}

export function malformed(at: number, expected: string): MalformedPage {
  return new MalformedPage(`The page is not JSON: ${expected} at byte ${at}.`, { at })
}
