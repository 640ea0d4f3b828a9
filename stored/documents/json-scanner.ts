import {
  carriageReturn,
  closeBrace,
  closeBracket,
  colon,
  comma,
  hasByteOrderMark,
  lineFeed,
  openBrace,
  openBracket,
  quote,
} from './json-bytes.ts'
import {
  canonicalJson,
  isName,
  MalformedPage,
  malformed,
  scalarEnd,
  stringEnd,
  whiteSpaceEnd,
} from './json-scalars.ts'

/** Deeper documents are refused, so that a hostile page cannot use up the memory. */
const maxDepth = 1000

/** The next token in the grammar of RFC 8259. */
type ExpectedValue = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

/** Finds the documents of a page and their ids. Throws `MalformedPage` for what a JSON parser would reject. */
export class DocumentScanner {
  /** Where the current document begins and ends in the page. */
  start = 0
  end = 0
  /** White space around the documents so far, and a byte order mark. */
  spaceBytes = 0
  /** Whether the current document contains a CR or LF between its tokens. */
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

  /** Moves to the next document. False after the last one. */
  next(): boolean {
    const text = this.#text
    const isFirst = this.end === 0
    let at = isFirst ? this.#afterOpenBracket() : this.#spaceEnd(this.end)
    if (text[at] === closeBracket) return this.#expectEnd(at + 1)
    if (!isFirst) {
      if (text[at] !== comma) throw malformed(at, 'expected a comma or the end of the page')
      at = this.#spaceEnd(at + 1)
    }
    if (text[at] !== openBrace) throw malformed(at, 'expected a document')
    this.start = at
    this.end = this.#documentEnd(at)
    return true
  }

  /** The JSON of the current document's id. Undefined if it is missing, null, an object or an array. */
  identity(): string | undefined {
    if (this.#idStart === -1) return undefined
    const json = this.#text.toString('utf8', this.#idStart, this.#idEnd)
    return json === 'null' ? undefined : canonicalJson(json)
  }

  #afterOpenBracket(): number {
    this.spaceBytes = hasByteOrderMark(this.#text) ? 3 : 0
    const at = this.#spaceEnd(this.spaceBytes)
    if (this.#text[at] !== openBracket) throw new MalformedPage('The page is not a JSON array.')
    return this.#spaceEnd(at + 1)
  }

  #expectEnd(at: number): false {
    if (this.#spaceEnd(at) !== this.#text.length) throw malformed(at, 'expected nothing after the array')
    return false
  }

  #spaceEnd(start: number): number {
    const end = whiteSpaceEnd(this.#text, start)
    this.spaceBytes += end - start
    return end
  }

  #documentEnd(start: number): number {
    const text = this.#text
    const open = this.#open
    let at = start
    let expected: ExpectedValue = 'value'
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
            valueIsId = open.length === 1 && isName(text, at + 1, this.#idField)
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
}
