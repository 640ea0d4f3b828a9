import type { PreparedPage } from './prepare.ts'

/** 16 MB: enough that the ids of a billion documents do not make a page of 1,000 new ones look like a repeat. */
const bits = 2 ** 27

/**
 * Recognises pages that hold only ids that were received before, while a scroll is in progress. It is a Bloom filter
 * with one hash: it may take a new page for a repeat, but not a hundred in a row. The proof counts exactly.
 */
export class RepeatDetector {
  readonly #seen = new Uint8Array(bits / 8)

  /** Adds a page's ids. True if all of them were seen before and every document has an id. */
  isRepeat({
    fingerprints,
    documentsWithoutId,
  }: Pick<PreparedPage, 'fingerprints' | 'documentsWithoutId'>): boolean {
    let isRepeat = documentsWithoutId === 0
    for (let at = 0; at < fingerprints.length; at += 8) {
      const bit = fingerprints.readUInt32LE(at) % bits
      const mask = 1 << (bit & 7)
      const byte = bit >>> 3
      const before = this.#seen[byte] ?? 0
      if ((before & mask) === 0) {
        isRepeat = false
        this.#seen[byte] = before | mask
      }
    }
    return isRepeat
  }
}
