import { entryBytes } from './entries.ts'
import { sumOf } from './ranges.ts'

/** The entries of a page's lines. */
export interface CountedPage {
  readonly entries: Buffer
  readonly withoutId: number
}

export interface Count<P> {
  /** Lines of the pages that stay. */
  readonly documents: number
  readonly uniqueIds: number
  readonly withoutId: number
  /** Lines of all pages. */
  readonly received: number
  /** Lines of the largest page. */
  readonly largestPage: number
  /** Pages with as many lines as the largest. */
  readonly largestPages: number
  /** Without repeated pages. */
  readonly pages: readonly P[]
  /** Of the ids' hashes, modulo 2^128. */
  readonly idSum: bigint
}

/** Ids of one pass. Twice as many places of 16 bytes are a quarter of a gigabyte. */
const maxIdsPerPass = 2 ** 23

/**
 * Counts pages in their order. A page whose documents all have ids that were seen before is a repeat and is dropped.
 * `read` returns the pages again in each pass; a pass counts the ids that begin with certain bits.
 */
export async function countPages<P>(
  read: () => AsyncIterable<CountedPage & { readonly page: P }>,
  documents: number,
): Promise<Count<P>> {
  const passes = 2 ** Math.ceil(Math.log2(Math.max(1, documents / maxIdsPerPass)))
  const tally = { pages: [] as Tallied<P>[], uniqueIds: 0, idSum: 0n }
  for (let pass = 0; pass < passes; pass++) {
    const ids = new IdTable(Math.min(maxIdsPerPass, documents))
    let index = 0
    for await (const { page, entries, withoutId } of read()) {
      const before = ids.size
      for (let at = 0; at < entries.length; at += entryBytes)
        if (entries.readUInt32BE(at) % passes === pass) ids.add(entries, at)
      const known = tally.pages[index]
      const isNew = ids.size > before || withoutId > 0
      if (known) known.stays ||= isNew
      else tally.pages.push({ page, lines: entries.length / entryBytes, withoutId, stays: isNew })
      index++
    }
    tally.uniqueIds += ids.size
    tally.idSum += ids.sum()
  }
  return countOf(tally)
}

interface Tallied<P> {
  readonly page: P
  readonly lines: number
  readonly withoutId: number
  stays: boolean
}

function countOf<P>({
  pages,
  uniqueIds,
  idSum,
}: {
  readonly pages: readonly Tallied<P>[]
  readonly uniqueIds: number
  readonly idSum: bigint
}): Count<P> {
  const staying = pages.filter(({ stays }) => stays)
  const largestPage = Math.max(0, ...pages.map(({ lines }) => lines))
  return {
    documents: sumOf(staying.map(({ lines }) => lines)),
    uniqueIds,
    withoutId: sumOf(staying.map((page) => page.withoutId)),
    received: sumOf(pages.map(({ lines }) => lines)),
    largestPage,
    largestPages: pages.filter(({ lines }) => lines === largestPage).length,
    pages: staying.map(({ page }) => page),
    idSum: idSum % 2n ** 128n,
  }
}

const words = 4

/** Distinct hashes of 128 bits, by open addressing in a table that is at most half full. */
class IdTable {
  size = 0
  #slots: Uint32Array
  #hasZero = false
  /** The hash that is added. */
  readonly #next = new Uint32Array(words)

  constructor(expected: number) {
    this.#slots = new Uint32Array(words * 2 ** Math.ceil(Math.log2(Math.max(1024, 2 * expected))))
  }

  /** Adds the hash at this offset. */
  add(entries: Buffer, offset: number): void {
    if (2 * words * this.size >= this.#slots.length) this.#grow()
    for (let word = 0; word < words; word++) this.#next[word] = entries.readUInt32BE(offset + 4 * word)
    this.#insert()
  }

  /** The sum of all hashes. */
  sum(): bigint {
    const slots = this.#slots
    let sum = 0n
    for (let start = 0; start < slots.length; start += words * 2 ** 20) {
      // A double is exact up to 2^53, so 2^20 words of 32 bits fit.
      const totals: [number, number, number, number] = [0, 0, 0, 0]
      for (let at = start; at < Math.min(slots.length, start + words * 2 ** 20); at += words) {
        totals[0] += slots[at] ?? 0
        totals[1] += slots[at + 1] ?? 0
        totals[2] += slots[at + 2] ?? 0
        totals[3] += slots[at + 3] ?? 0
      }
      sum += totals.reduce((before, total) => (before << 32n) + BigInt(total), 0n)
    }
    return sum
  }

  #insert(): void {
    const slots = this.#slots
    const [a, b, c, d] = this.#next as unknown as [number, number, number, number]
    // Four zeros mark a free place.
    if ((a | b | c | d) === 0) {
      if (!this.#hasZero) this.size++
      this.#hasZero = true
      return
    }
    const mask = slots.length - 1
    let at = (words * d) & mask
    while (slots[at] !== 0 || slots[at + 1] !== 0 || slots[at + 2] !== 0 || slots[at + 3] !== 0) {
      if (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c && slots[at + 3] === d) return
      at = (at + words) & mask
    }
    slots.set(this.#next, at)
    this.size++
  }

  #grow(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    this.size = this.#hasZero ? 1 : 0
    for (let at = 0; at < old.length; at += words) {
      this.#next.set(old.subarray(at, at + words))
      if (this.#next.some((word) => word !== 0)) this.#insert()
    }
  }
}
