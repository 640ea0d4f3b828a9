import { closeBrace, closeBracket, comma, isWhiteSpace } from '../documents/json-bytes.ts'

/**
 * The canonical form of a valid document: two are equal for change sets if theirs are. Keys are sorted, without white
 * space and string escapes. Numbers keep their text, so 1 and 1.0 differ. Of several equal keys the last counts.
 */
export function canonicalDocument(document: Buffer, ignoredFields: ReadonlySet<string>): string {
  return new CanonicalReader(document.toString()).object(ignoredFields)
}

/** The same of a value in a document. */
export const canonicalValue = (json: string): string => new CanonicalReader(json).value()

const none: ReadonlySet<string> = new Set()
const isScalarEnd = (code: number) =>
  code === comma || code === closeBrace || code === closeBracket || isWhiteSpace(code)

class CanonicalReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  object(ignored: ReadonlySet<string>): string {
    const members = new Map<string, string>()
    this.#skip('{')
    while (!this.#skip('}')) {
      this.#skip(',')
      const name = this.#string()
      const key = name.includes('\\') ? (JSON.parse(name) as string) : name.slice(1, -1)
      this.#skip(':')
      const value = this.value()
      if (!ignored.has(key)) members.set(key, `${name}:${value}`)
    }
    const sorted = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `{${sorted.map(([, member]) => member).join(',')}}`
  }

  #array(): string {
    const items: string[] = []
    this.#skip('[')
    while (!this.#skip(']')) {
      this.#skip(',')
      items.push(this.value())
    }
    return `[${items.join(',')}]`
  }

  value(): string {
    this.#skipWhiteSpace()
    const first = this.#text[this.#at]
    if (first === '{') return this.object(none)
    if (first === '[') return this.#array()
    return first === '"' ? this.#string() : this.#scalar()
  }

  /** A string as `JSON.stringify` writes it, which is as it is without escapes. */
  #string(): string {
    this.#skipWhiteSpace()
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#malformed()
    let end = this.#text.indexOf('"', start + 1)
    while (end >= 0 && this.#isEscaped(start, end)) end = this.#text.indexOf('"', end + 1)
    if (end < 0) throw this.#malformed()
    this.#at = end + 1
    const raw = this.#text.slice(start, this.#at)
    return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw
  }

  /** Whether an odd number of backslashes precedes the quote. */
  #isEscaped(start: number, quote: number): boolean {
    let first = quote
    while (first - 1 > start && this.#text[first - 1] === '\\') first--
    return (quote - first) % 2 === 1
  }

  /** Skips white space and then this character, if it comes next. */
  #skip(character: string): boolean {
    this.#skipWhiteSpace()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #skipWhiteSpace(): void {
    while (isWhiteSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #scalar(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !isScalarEnd(this.#text.charCodeAt(this.#at))) this.#at++
    if (this.#at === start) throw this.#malformed()
    return this.#text.slice(start, this.#at)
  }

  #malformed(): SyntaxError {
    return new SyntaxError(`A stored document is not JSON at character ${this.#at}.`)
  }
}
