/**
 * The canonical form of a document. Two documents are equal for change sets if theirs are: keys sorted, no white space, string escapes decoded.
 * Numbers keep their text, so 1 and 1.0 differ. Of several equal keys the last counts, as in JSON.parse. The document
 * is valid JSON.
 */
export function canonicalDocument(document: Buffer, ignoredFields: ReadonlySet<string>): string {
  return new CanonicalReader(document.toString()).object(ignoredFields)
}

/** The same of a value in a document. */
export const canonicalValue = (json: string): string => new CanonicalReader(json).value()

const none: ReadonlySet<string> = new Set()
const whiteSpace = ' \t\n\r'
const scalarEnd = `${whiteSpace},]}`

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
      const key = this.#string()
      this.#skip(':')
      const value = this.value()
      if (!ignored.has(key)) members.set(key, value)
    }
    const sorted = [...members].toSorted(([one], [other]) => (one < other ? -1 : 1))
    return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
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
    return first === '"' ? JSON.stringify(this.#string()) : this.#scalar()
  }

  /** A string's value. */
  #string(): string {
    this.#skipWhiteSpace()
    const start = this.#at
    if (this.#text[start] !== '"') throw this.#malformed()
    let end = start + 1
    while (this.#text[end] !== '"') {
      if (end >= this.#text.length) throw this.#malformed()
      end += this.#text[end] === '\\' ? 2 : 1
    }
    this.#at = end + 1
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  /** Skips white space and then this character, if it comes next. */
  #skip(character: string): boolean {
    this.#skipWhiteSpace()
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #skipWhiteSpace(): void {
    while (this.#isAt(whiteSpace)) this.#at++
  }

  #scalar(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !this.#isAt(scalarEnd)) this.#at++
    if (this.#at === start) throw this.#malformed()
    return this.#text.slice(start, this.#at)
  }

  #isAt(characters: string): boolean {
    const character = this.#text[this.#at]
    return character !== undefined && characters.includes(character)
  }

  #malformed(): SyntaxError {
    return new SyntaxError(`A stored document is not JSON at character ${this.#at}.`)
  }
}
