import { SpillFile } from '../documents/spill-file.ts'

/**
 * What the comparison remembers of a document, in 32-bit words: its id hash (4), the first 64 bits of its content hash
 * (2), the position of its page and of its line.
 */
export const entryWords = 8
export const contentWord = 4
export const pageWord = 6
export const lineWord = 7

/** For a document that is the same in both snapshots, the page and line of the base are in place of the content. */
export const basePageWord = 4
export const baseLineWord = 5

export const bucketCount = 256
const blockWords = entryWords * 256

/** The entries of a snapshot, by the first byte of their id hash, in the order of its lines. Most are on disk. */
export class Entries implements Disposable {
  readonly #file = new SpillFile(blockWords)
  readonly #blocks = new Uint32Array(bucketCount * blockWords)
  readonly #lengths = new Uint32Array(bucketCount)
  readonly #places: number[][] = Array.from({ length: bucketCount }, () => [])

  add(entry: Uint32Array): void {
    const bucket = (entry[0] ?? 0) >>> 24
    let length = this.#lengths[bucket] ?? 0
    if (length === blockWords) {
      this.#places[bucket]?.push(this.#file.write(this.#blockOf(bucket)))
      length = 0
    }
    this.#blocks.set(entry, bucket * blockWords + length)
    this.#lengths[bucket] = length + entryWords
  }

  /** The entries of a bucket, block by block. A block is valid until the next one is read. */
  *blocks(bucket: number): Generator<Uint32Array> {
    for (const place of this.#places[bucket] ?? []) yield this.#file.read(place)
    yield this.#blockOf(bucket).subarray(0, this.#lengths[bucket])
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }

  #blockOf(bucket: number): Uint32Array {
    return this.#blocks.subarray(bucket * blockWords, (bucket + 1) * blockWords)
  }
}
