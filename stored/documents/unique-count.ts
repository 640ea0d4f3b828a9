import { bucketCount, Entries } from './entries.ts'
import { fingerprintBytes } from './fingerprint.ts'

/** Numbers of an entry: both halves of a fingerprint and the index of its page. */
const entryLength = 3

/**
 * Counts distinct fingerprints, page after page, in a few megabytes of memory and a file. They are collected in
 * buckets by their first byte and compared at the end, bucket by bucket: the table of one bucket fits into the
 * processor's cache, where a single large set would wait for the memory at nearly every lookup.
 */
export class UniqueCount implements Disposable {
  #pages = 0
  readonly #entries = new Entries(entryLength)

  addPage(fingerprints: Buffer): void {
    const entry = new Uint32Array(entryLength)
    entry[2] = this.#pages++
    for (let at = 0; at < fingerprints.length; at += fingerprintBytes) {
      const high = fingerprints.readUInt32BE(at)
      entry[0] = high
      // Two zeros mark a free entry of the table, so the fingerprint zero counts as one.
      entry[1] = fingerprints.readUInt32LE(at + 4) || (high === 0 ? 1 : 0)
      this.#entries.add(entry)
    }
  }

  /** The number of distinct fingerprints, and for each page 1 if it has one that no earlier page has. */
  result(): { readonly unique: number; readonly bringsNew: Uint8Array } {
    const bringsNew = new Uint8Array(this.#pages)
    const table = new FingerprintTable()
    let unique = 0
    for (let bucket = 0; bucket < bucketCount; bucket++) {
      table.clear()
      for (const block of this.#entries.blocks(bucket)) addAll(block, table, bringsNew)
      unique += table.size
    }
    return { unique, bringsNew }
  }

  [Symbol.dispose](): void {
    this.#entries[Symbol.dispose]()
  }
}

function addAll(entries: Uint32Array, table: FingerprintTable, bringsNew: Uint8Array): void {
  for (let at = 0; at < entries.length; at += entryLength) {
    const isNew = table.add(entries[at] ?? 0, entries[at + 1] ?? 0)
    if (isNew) bringsNew[entries[at + 2] ?? 0] = 1
  }
}

/** An open-addressing hash table of number pairs, at most half full. `low` selects the first slot to probe. */
class FingerprintTable {
  size = 0
  #slots = new Uint32Array(2 * 1024)

  clear(): void {
    this.size = 0
    this.#slots.fill(0)
  }

  /** Returns true if the pair was not in the table. */
  add(high: number, low: number): boolean {
    if (4 * this.size >= this.#slots.length) this.#grow()
    const slots = this.#slots
    let at = (2 * low) & (slots.length - 1)
    while (slots[at] !== 0 || slots[at + 1] !== 0) {
      if (slots[at] === low && slots[at + 1] === high) return false
      at = (at + 2) & (slots.length - 1)
    }
    slots[at] = low
    slots[at + 1] = high
    this.size++
    return true
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    this.size = 0
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at] ?? 0
      const high = old[at + 1] ?? 0
      if (low !== 0 || high !== 0) this.add(high, low)
    }
  }
}
