import type { CommittedPage, Position } from '../../state/page.ts'

type Ids = Pick<CommittedPage, 'fingerprints' | 'documentsWithoutId'>

/** 4 MB. */
const bitCount = 2 ** 25
/** Beyond it, a new page might look like a repeat. Reached after 150 million documents. */
const maxBits = 0.99 * bitCount

/**
 * Recognizes pages that hold only ids that the attempt received before, while it is in progress. It is a Bloom filter
 * with one hash, so it may take a single new page for a repeat, but never a hundred in a row. The proof counts exactly.
 */
export class RepeatDetector {
  readonly #bits = new Uint8Array(bitCount / 8)
  #set = 0

  /** Adds a page's ids. True if all of them were added before and every document has an id. */
  isRepeat({ fingerprints, documentsWithoutId }: Ids): boolean {
    const before = this.#set
    for (let at = 0; at < fingerprints.length; at += 8) this.#add(fingerprints.readUInt32LE(at) % bitCount)
    return this.#set === before && documentsWithoutId === 0 && before < maxBits
  }

  #add(bit: number): void {
    const index = bit >>> 3
    const mask = 1 << (bit & 7)
    const byte = this.#bits[index] ?? 0
    if ((byte & mask) !== 0) return
    this.#bits[index] = byte | mask
    this.#set++
  }
}

/** The detector for a worker that continues at a position. It reads the pages before only if the last was a repeat. */
export async function repeatDetectorAt(
  { repeatedPages }: Position,
  pages: () => AsyncIterable<Ids>,
): Promise<RepeatDetector> {
  const detector = new RepeatDetector()
  if (repeatedPages > 0) for await (const page of pages()) detector.isRepeat(page)
  return detector
}
