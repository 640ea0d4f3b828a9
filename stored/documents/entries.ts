import { closeSync, readSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { openTemporaryFile } from './temporary-file.ts'

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

/**
 * Blocks of numbers in a temporary file. The file is unlinked right after opening, so that it disappears with its
 * process even after a crash. After the first disk error, further blocks stay in memory.
 */
export class SpillFile implements Disposable {
  readonly #folder: string
  readonly #block: Uint32Array
  #file: number | undefined
  #diskFailed = false
  #blocks = 0
  readonly #inMemory = new Map<number, Uint32Array>()

  constructor(blockLength: number, folder = tmpdir()) {
    this.#block = new Uint32Array(blockLength)
    this.#folder = folder
  }

  /** Copies a block. Returns the index to read it with. */
  write(block: Uint32Array): number {
    const index = this.#blocks++
    if (!this.#writeToFile(block, index)) this.#inMemory.set(index, block.slice())
    return index
  }

  /** The block with this index. It is overwritten by the next read. Throws what `readSync` throws. */
  read(index: number): Uint32Array {
    const inMemory = this.#inMemory.get(index)
    if (inMemory) return inMemory
    const { byteLength } = this.#block
    const position = index * byteLength
    const read = this.#file === undefined ? 0 : readSync(this.#file, this.#block, { position })
    if (read !== byteLength)
      throw new Error(`Block ${index} of a temporary file has ${read} bytes instead of ${byteLength}.`)
    return this.#block
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#inMemory.clear()
  }

  /** Returns false if the block is not completely in the file. After the first error it no longer tries. */
  #writeToFile(block: Uint32Array, index: number): boolean {
    if (this.#diskFailed) return false
    const { byteLength } = block
    try {
      this.#file ??= openTemporaryFile(this.#folder)
      this.#diskFailed = writeSync(this.#file, block, 0, byteLength, index * byteLength) !== byteLength
    } catch {
      this.#diskFailed = true
    }
    return !this.#diskFailed
  }
}
