import { idHashWords, writeIdHash } from '../documents/id-hash.ts'
import { SpillFile } from '../documents/spill-file.ts'
import { StoredLines } from '../documents/stored-lines.ts'
import type { Page } from './read-pages.ts'

/** The lines of each page that do not count, by the position of the page: a later line has the same id. */
export type SupersededLines = ReadonlyMap<number, ReadonlySet<number>>

const bucketCount = 256
/** The words of an id hash, the page and the line. */
const entryWords = idHashWords + 2
const blockEntries = 128

/**
 * Finds the lines whose id a later line has. Documents without an id are known by their bytes. A page may come in several
 * pieces. The ids are collected in a file, in buckets by their hash, so that a bucket fits into memory.
 */
export async function findSuperseded(pages: AsyncIterable<Page>, idField: string): Promise<SupersededLines> {
  const buckets = new Buckets()
  // Not `using`: a checkout also runs on Node 22, which does not parse it.
  try {
    const idFieldBytes = Buffer.from(idField)
    let page = -1
    let line = 0
    for await (const { index, text } of pages) {
      if (index !== page) line = 0
      page = index
      for (const lines = new StoredLines(text, idFieldBytes); lines.next(); line++) {
        writeIdHash(lines.identity(), buckets.entry, 0)
        buckets.add(index, line)
      }
    }
    const superseded = new Map<number, Set<number>>()
    buckets.forEachSuperseded((page, line) => {
      const known = superseded.get(page)
      if (known) known.add(line)
      else superseded.set(page, new Set([line]))
    })
    return superseded
  } finally {
    buckets[Symbol.dispose]()
  }
}

class Buckets implements Disposable {
  /** Filled with an id hash before `add`. */
  readonly entry = new Uint32Array(entryWords)
  readonly #file = new SpillFile(entryWords * blockEntries)
  readonly #buckets = Array.from({ length: bucketCount }, () => ({
    stored: [] as number[],
    block: new Uint32Array(entryWords * blockEntries),
    length: 0,
  }))

  add(page: number, line: number): void {
    const { entry } = this
    entry[idHashWords] = page
    entry[idHashWords + 1] = line
    const bucket = this.#buckets[(entry[0] ?? 0) % bucketCount]
    if (!bucket) return
    if (bucket.length === bucket.block.length) {
      bucket.stored.push(this.#file.write(bucket.block))
      bucket.length = 0
    }
    bucket.block.set(entry, bucket.length)
    bucket.length += entryWords
  }

  forEachSuperseded(report: (page: number, line: number) => void): void {
    for (const { stored, block, length } of this.#buckets) {
      const blockWords = entryWords * blockEntries
      const entries = new Uint32Array(stored.length * blockWords + length)
      for (const [at, index] of stored.entries()) entries.set(this.#file.read(index), at * blockWords)
      entries.set(block.subarray(0, length), stored.length * blockWords)
      reportSuperseded(entries, report)
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

/** An open-addressing table of the last entry of each hash, at most half full. */
function reportSuperseded(entries: Uint32Array, report: (page: number, line: number) => void): void {
  const count = entries.length / entryWords
  const size = 2 ** Math.ceil(Math.log2(2 * count + 1))
  const last = new Int32Array(size).fill(-1)
  for (let entry = 0; entry < count; entry++) {
    const at = entry * entryWords
    let slot = (entries[at + 1] ?? 0) & (size - 1)
    for (; last[slot] !== -1; slot = (slot + 1) & (size - 1)) {
      const other = (last[slot] ?? 0) * entryWords
      if (!hasSameHash(entries, other, at)) continue
      report(entries[other + idHashWords] ?? 0, entries[other + idHashWords + 1] ?? 0)
      break
    }
    last[slot] = entry
  }
}

function hasSameHash(entries: Uint32Array, one: number, other: number): boolean {
  for (let word = 0; word < idHashWords; word++)
    if (entries[one + word] !== entries[other + word]) return false
  return true
}
