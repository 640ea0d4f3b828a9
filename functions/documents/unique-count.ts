import { fingerprintBytes } from './fingerprint.ts'
import { SpillFile } from './spill-file.ts'

const bucketCount = 256
/** Numbers of an entry: both halves of a fingerprint, and the page that it came with. */
const entryLength = 3
const blockLength = entryLength * 256

/**
 * Counts different fingerprints, page after page, in a few MB and a file. They are gathered by their first byte and
 * compared at the end, a bucket at a time: a bucket's table fits into the processor's cache, so that 50 million take
 * 90 ns each, less than a million do. One large set takes 310, since nearly every look into it waits for the memory.
 */
export class UniqueCount implements Disposable {
  #pages = 0
  readonly #file = new SpillFile(blockLength)
  readonly #buckets = buckets(this.#file)

  /** Takes the fingerprints of the next page. */
  addPage(fingerprints: Buffer): void {
    for (let at = 0; at < fingerprints.length; at += fingerprintBytes) {
      const high = fingerprints.readUInt32LE(at)
      this.#buckets[high % bucketCount]?.add(high, fingerprints.readUInt32LE(at + 4), this.#pages)
    }
    this.#pages++
  }

  /** How many differ, and for each page a 1 if it has one that no page before it had. */
  result(): { readonly unique: number; readonly bringsNew: Uint8Array } {
    const bringsNew = new Uint8Array(this.#pages)
    const table = new FingerprintTable()
    let unique = 0
    for (const bucket of this.#buckets) unique += bucket.count(table, bringsNew)
    return { unique, bringsNew }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

function buckets(file: SpillFile): Bucket[] {
  const room = new Uint32Array(bucketCount * blockLength)
  return Array.from(
    { length: bucketCount },
    (_, index) => new Bucket(file, room.subarray(index * blockLength, (index + 1) * blockLength)),
  )
}

/** Fingerprints in the order in which they came: whole blocks are in the file, the last one is here. */
class Bucket {
  readonly #file: SpillFile
  readonly #places: number[] = []
  readonly #last: Uint32Array
  #length = 0

  constructor(file: SpillFile, room: Uint32Array) {
    this.#file = file
    this.#last = room
  }

  add(high: number, low: number, page: number): void {
    if (this.#length === blockLength) {
      this.#places.push(this.#file.write(this.#last))
      this.#length = 0
    }
    this.#last[this.#length] = high
    // A place of two zeros is a free one in the table, so the fingerprint zero is taken for one.
    this.#last[this.#length + 1] = low || (high === 0 ? 1 : 0)
    this.#last[this.#length + 2] = page
    this.#length += entryLength
  }

  /** Counts those that differ, by a table that is free for it, and notes the page that each came with first. */
  count(table: FingerprintTable, bringsNew: Uint8Array): number {
    table.clear()
    for (const place of this.#places) addAll(this.#file.read(place), table, bringsNew)
    addAll(this.#last.subarray(0, this.#length), table, bringsNew)
    return table.size
  }
}

function addAll(entries: Uint32Array, table: FingerprintTable, bringsNew: Uint8Array): void {
  for (let at = 0; at < entries.length; at += entryLength) {
    const isNew = table.add(entries[at] ?? 0, entries[at + 1] ?? 0)
    if (isNew) bringsNew[entries[at + 2] ?? 0] = 1
  }
}

/** A flat table with two numbers a place, half full at most, searched from the place that `low` names. */
class FingerprintTable {
  size = 0
  #places = new Uint32Array(2 * 1024)

  clear(): void {
    this.size = 0
    this.#places.fill(0)
  }

  /** True if it was not there before. */
  add(high: number, low: number): boolean {
    if (4 * this.size >= this.#places.length) this.#grow()
    const places = this.#places
    let at = (2 * low) & (places.length - 1)
    while (places[at] !== 0 || places[at + 1] !== 0) {
      if (places[at] === low && places[at + 1] === high) return false
      at = (at + 2) & (places.length - 1)
    }
    places[at] = low
    places[at + 1] = high
    this.size++
    return true
  }

  #grow(): void {
    const old = this.#places
    this.#places = new Uint32Array(2 * old.length)
    this.size = 0
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at] ?? 0
      const high = old[at + 1] ?? 0
      if (low !== 0 || high !== 0) this.add(high, low)
    }
  }
}
