/** What the caller does with a selected line. */
export interface SelectedLine {
  readonly line: number
  readonly purpose: number
}

const words = 3

/** Lines of the pages of a snapshot, each with a purpose. Compact, since every document may be selected. */
export class SelectedLines {
  /** Page, line and purpose of each. */
  #selected = new Uint32Array(words * 1024)
  #length = 0

  add(page: number, line: number, purpose: number): void {
    if (this.#length === this.#selected.length) {
      const larger = new Uint32Array(2 * this.#length)
      larger.set(this.#selected)
      this.#selected = larger
    }
    this.#selected[this.#length] = page
    this.#selected[this.#length + 1] = line
    this.#selected[this.#length + 2] = purpose
    this.#length += words
  }

  /** Sorts the selection by page and line. */
  sorted(pageCount: number): SortedLines {
    const ends = new Uint32Array(pageCount + 1)
    for (let at = 0; at < this.#length; at += words) {
      const page = this.#selected[at] ?? 0
      ends[page + 1] = (ends[page + 1] ?? 0) + 1
    }
    for (let page = 0; page < pageCount; page++) ends[page + 1] = (ends[page + 1] ?? 0) + (ends[page] ?? 0)
    const starts = ends.slice()
    // The line decides the order of the numbers, which are exact below 2^53.
    const lines = new Float64Array(this.#length / words)
    for (let at = 0; at < this.#length; at += words) {
      const page = this.#selected[at] ?? 0
      const position = starts[page] ?? 0
      lines[position] = (this.#selected[at + 1] ?? 0) * 2 ** 32 + (this.#selected[at + 2] ?? 0)
      starts[page] = position + 1
    }
    for (let page = 0; page < pageCount; page++) lines.subarray(ends[page], ends[page + 1]).sort()
    return new SortedLines(ends, lines)
  }
}

export class SortedLines {
  readonly #ends: Uint32Array
  readonly #lines: Float64Array

  constructor(ends: Uint32Array, lines: Float64Array) {
    this.#ends = ends
    this.#lines = lines
  }

  /** The pages with a selected line, in order. */
  pages(): number[] {
    return [...this.#ends.keys()].slice(0, -1).filter((page) => this.#ends[page] !== this.#ends[page + 1])
  }

  *ofPage(page: number): Generator<SelectedLine> {
    for (const packed of this.#lines.subarray(this.#ends[page], this.#ends[page + 1])) {
      const line = Math.floor(packed / 2 ** 32)
      yield { line, purpose: packed - line * 2 ** 32 }
    }
  }
}
