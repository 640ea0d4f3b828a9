import { SpillFile } from '../../documents/spill-file.ts'

/**
 * What the comparison remembers of a document, in 32-bit words: its id hash (4), the first 128 bits of its content hash
 * (4), the position of its page and of its line. With fewer bits, someone who can write documents could make two with
 * the same content hash, and a change from one to the other would go unnoticed.
 */
export const entryWords = 10
export const contentWord = 4
export const contentWords = 4
export const pageWord = 8
export const lineWord = 9

/** For a document that is the same in both snapshots, the page and line of the base replace the content hash. */
export const basePageWord = 4
export const baseLineWord = 5

export const bucketCount = 256
const blockWords = entryWords * 256

/** The entries of a snapshot, by the first byte of their id hash, in the order of its lines. Most are on disk. */
export class Entries implements Disposable {
  readonly #file = new SpillFile(blockWords)
  /** The last block of each bucket, from its first entry on. */
  readonly #lastBlocks: Uint32Array[] = []
  readonly #lengths = new Uint32Array(bucketCount)
  readonly #places: number[][] = Array.from({ length: bucketCount }, () => [])

  add(entry: Uint32Array): void {
    const bucket = (entry[0] ?? 0) >>> 24
    const block = this.#lastBlocks[bucket] ?? new Uint32Array(blockWords)
    this.#lastBlocks[bucket] = block
    let length = this.#lengths[bucket] ?? 0
    if (length === blockWords) {
      this.#places[bucket]?.push(this.#file.write(block))
      length = 0
    }
    block.set(entry, length)
    this.#lengths[bucket] = length + entryWords
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
