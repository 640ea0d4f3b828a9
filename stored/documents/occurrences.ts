/**
 * Finds where bytes occur in a text. It remembers the last result, so that repeated searches from ascending positions
 * read the text only once.
 */
export class Occurrences {
  readonly #text: Buffer
  readonly #bytes: Buffer | number
  /** There is no occurrence from the first position up to the second one. */
  #from = 0
  #next = -1

  constructor(text: Buffer, bytes: Buffer | number) {
    this.#text = text
    this.#bytes = bytes
  }

  /** The first at or after a position; the length of the text if there is none. */
  next(from: number): number {
    if (from < this.#from || from > this.#next) {
      const found = this.#text.indexOf(this.#bytes, from)
      this.#from = from
      this.#next = found < 0 ? this.#text.length : found
    }
    return this.#next
  }
}
