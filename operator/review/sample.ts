const sampleSize = 5

/** Documents from all over the snapshot. */
export class Sample {
  readonly #documents: string[] = []
  #seen = 0
  #every = 1

  add(document: Buffer): void {
    if (this.#seen++ % this.#every === 0) this.#documents.push(document.toString())
    if (this.#documents.length <= 2 * sampleSize) return
    // Every second one stays, so that the sample is spread evenly.
    this.#documents.splice(0, Number.POSITIVE_INFINITY, ...this.#documents.filter((_, at) => at % 2 === 0))
    this.#every *= 2
  }

  documents(): string[] {
    return this.#documents.slice(0, sampleSize)
  }
}
