import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'

/**
 * Blocks of numbers in a temporary file, which has no name any more once it is open, so that it ends with its process
 * however that ends. What comes after the disk failed once stays in memory.
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

  /** Takes a copy of a whole block. Returns the place to read it from. */
  write(block: Uint32Array): number {
    const place = this.#blocks++
    if (!this.#wrote(block, place)) this.#inMemory.set(place, block.slice())
    return place
  }

  /** The block that was written there, until the next is read. Throws what `readSync` throws. */
  read(place: number): Uint32Array {
    const kept = this.#inMemory.get(place)
    if (kept) return kept
    const { byteLength } = this.#block
    const position = place * byteLength
    const read = this.#file === undefined ? 0 : readSync(this.#file, this.#block, { position })
    if (read !== byteLength)
      throw new Error(`Block ${place} of a temporary file has ${read} bytes, not ${byteLength}.`)
    return this.#block
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
    this.#inMemory.clear()
  }

  /** Only ever as a whole. After the first failure the disk is left alone. */
  #wrote(block: Uint32Array, place: number): boolean {
    if (this.#diskFailed) return false
    const { byteLength } = block
    try {
      this.#file ??= openUnnamed(this.#folder)
      this.#diskFailed = writeSync(this.#file, block, 0, byteLength, place * byteLength) !== byteLength
    } catch {
      this.#diskFailed = true
    }
    return !this.#diskFailed
  }
}

function openUnnamed(folder: string): number {
  const path = `${folder}/longshore-${randomUUID()}`
  const file = openSync(path, 'wx+', 0o600)
  try {
    unlinkSync(path)
  } catch (error) {
    closeSync(file)
    throw error
  }
  return file
}
