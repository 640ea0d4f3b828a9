import { SpillFile } from './spill-file.ts'

export const bucketCount = 256
const blockEntries = 256

/** Entries of a few 32-bit words, by the first byte of their hash, in the order in which they are added. Most are on disk. */
export class Entries implements Disposable {
  readonly #words: number
  readonly #file: SpillFile
  /** The last block of each bucket, from its first entry on. */
  readonly #lastBlocks: Uint32Array[] = []
  readonly #lengths = new Uint32Array(bucketCount)
  readonly #places: number[][] = Array.from({ length: bucketCount }, () => [])

  constructor(words: number) {
    this.#words = words
    this.#file = new SpillFile(words * blockEntries)
  }

  add(entry: Uint32Array): void {
    const bucket = (entry[0] ?? 0) >>> 24
    const block = this.#lastBlocks[bucket] ?? new Uint32Array(this.#words * blockEntries)
    this.#lastBlocks[bucket] = block
    let length = this.#lengths[bucket] ?? 0
    if (length === block.length) {
      this.#places[bucket]?.push(this.#file.write(block))
      length = 0
    }
    block.set(entry, length)
    this.#lengths[bucket] = length + this.#words
  }

  /** The entries of a bucket, block by block. A block is valid until the next one is read. */
  *blocks(bucket: number): Generator<Uint32Array> {
    for (const place of this.#places[bucket] ?? []) yield this.#file.read(place)
    const last = this.#lastBlocks[bucket]
    if (last) yield last.subarray(0, this.#lengths[bucket])
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}
