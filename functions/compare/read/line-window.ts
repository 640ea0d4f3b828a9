import type { Page } from '../../chain/read-pages.ts'
import { lineFeed } from '../../documents/json-bytes.ts'
import { StoredLines } from '../../documents/stored-lines.ts'
import { freeMemory } from '../../runtime/free-memory.ts'

/** How many lines after the current one can be read. */
export const maxLookAhead = 64

/** The lines of a snapshot, one after the other, with those that follow. */
export class LineWindow {
  readonly #pages: AsyncIterator<Page>
  readonly #idField: Buffer
  /** The current page and those after it that have been read. */
  readonly #read: PageLines[] = []
  #line = 0
  #linesLeft = 0
  #hasMorePages = true

  constructor(pages: AsyncIterable<Page>, idField: Buffer) {
    this.#pages = pages[Symbol.asyncIterator]()
    this.#idField = idField
  }

  /** Whether `fill` has to be called before the next line. */
  get isLow(): boolean {
    return this.#hasMorePages && this.#linesLeft <= maxLookAhead
  }

  get hasLine(): boolean {
    return this.#linesLeft > 0
  }

  /** Reads pages until there is enough to look ahead. */
  async fill(): Promise<void> {
    while (this.isLow) {
      const { done, value } = await this.#pages.next()
      if (done) {
        this.#hasMorePages = false
        return
      }
      const page = new PageLines(value, this.#idField)
      if (page.count === 0) continue
      this.#read.push(page)
      this.#linesLeft += page.count
    }
  }

  /** A line that follows the current one at this distance; undefined after the last one. */
  line(ahead: number): Line | undefined {
    let line = this.#line + ahead
    for (const page of this.#read) {
      if (line < page.count) return { page, line }
      line -= page.count
    }
    return undefined
  }

  /** Moves to the next line. The lines of a page cannot be used after its last one. */
  advance(): void {
    this.#linesLeft--
    this.#line++
    const [page] = this.#read
    if (page && this.#line === page.count) {
      freeMemory(page.text)
      this.#read.shift()
      this.#line = 0
    }
  }
}

export interface Line {
  readonly page: PageLines
  readonly line: number
}

/** A page with the positions of its lines. */
export class PageLines {
  readonly index: number
  readonly text: Buffer
  readonly scanner: StoredLines
  /** Where the line feeds are. */
  readonly #ends: number[] = []

  constructor({ index, text }: Page, idField: Buffer) {
    this.index = index
    this.text = text
    this.scanner = new StoredLines(text, idField)
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(lineFeed, at)
      this.#ends.push(end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
    }
  }

  get count(): number {
    return this.#ends.length
  }

  start(line: number): number {
    return line === 0 ? 0 : (this.#ends[line - 1] ?? 0) + 1
  }

  end(line: number): number {
    return this.#ends[line] ?? 0
  }
}

/** Bytes that are compared one by one before all of them are: documents differ early, in their ids. */
const quickBytes = 48

export function hasSameBytes(one: Line, other: Line): boolean {
  const [start, end] = [one.page.start(one.line), one.page.end(one.line)]
  const [otherStart, otherEnd] = [other.page.start(other.line), other.page.end(other.line)]
  const length = end - start
  if (length !== otherEnd - otherStart) return false
  const [text, otherText] = [one.page.text, other.page.text]
  const quick = Math.min(length, quickBytes)
  for (let at = 0; at < quick; at++) if (text[start + at] !== otherText[otherStart + at]) return false
  return text.compare(otherText, otherStart, otherEnd, start, end) === 0
}
