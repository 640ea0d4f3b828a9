import { fingerprintBytes, fingerprintsOf } from '../../../stored/documents/fingerprint.ts'
import type { PageIds } from '../../../stored/documents/stored-ids.ts'
import type { Position, ReportedTotal } from '../../../stored/pages/page.ts'

/** 8 KB to 4 MB. */
const minBits = 2 ** 16
const maxBits = 2 ** 25
/** A scroll is stopped when it returns twice the total, so that at most one bit in 16 is set. */
const bitsPerDocument = 32
/** Beyond it, a new page might look like a repeat. Reached after 150 million documents if no total was reported. */
const maxShareSet = 0.99

/**
 * Recognizes pages that contain only ids that the attempt received before, while it is in progress. It is a Bloom filter
 * with one hash, so it may take a single new page for a repeat, but never a hundred in a row. The proof counts exactly.
 */
export class RepeatDetector {
  /** Its size depends on the total that came with the first page. */
  #bits: Uint8Array | undefined
  #set = 0

  /** Adds a page's ids. True if all of them were added before and every document has an id. */
  isRepeat({ fingerprints, documentsWithoutId }: PageIds, total: ReportedTotal): boolean {
    this.#bits ??= new Uint8Array(bitsFor(total) / 8)
    const before = this.#set
    for (let at = 0; at < fingerprints.length; at += fingerprintBytes)
      this.#add(this.#bits, fingerprints.readUInt32LE(at))
    return this.#set === before && documentsWithoutId === 0 && before < maxShareSet * 8 * this.#bits.length
  }

  #add(bits: Uint8Array, hash: number): void {
    const bit = hash % (8 * bits.length)
    const index = bit >>> 3
    const mask = 1 << (bit & 7)
    const byte = bits[index] ?? 0
    if ((byte & mask) !== 0) return
    bits[index] = byte | mask
    this.#set++
  }
}

/** A power of two. */
function bitsFor(total: ReportedTotal): number {
  if (typeof total !== 'number') return maxBits
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, total * bitsPerDocument)))
  return Math.min(maxBits, Math.max(minBits, wanted))
}

/** The detector for a worker that continues at a position. It reads the pages before only if the last was a repeat. */
export async function repeatDetectorAt(
  { repeatedPages, total }: Position,
  pages: () => AsyncIterable<PageIds>,
): Promise<RepeatDetector> {
  const detector = new RepeatDetector()
  if (repeatedPages > 0) for await (const page of pages()) detector.isRepeat(page, total)
  return detector
}

/**
 * True if most of a page's ids were on an earlier page, since documents may have changed places since then. A document
 * without an id may resemble another one.
 */
export function isRepeatOf(
  earlier: Pick<PageIds, 'fingerprints'>,
  { fingerprints, documentsWithoutId }: PageIds,
): boolean {
  if (documentsWithoutId > 0) return false
  const ids = new Set(fingerprintsOf(earlier.fingerprints))
  const page = fingerprintsOf(fingerprints)
  return page.filter((id) => ids.has(id)).length * 2 > page.length
}
