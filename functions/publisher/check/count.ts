import { entryBytes, type PageEntries } from './entries.ts'
import { IdTable } from './id-table.ts'
import { sumOf } from './ranges.ts'

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

/** Ids of one pass. With 24 bytes for each they have 200 MB. */
const maxIdsPerPass = 2 ** 23

/**
 * Counts pages in their order. A page whose documents all have ids that were seen before is a repeat and is dropped.
 * `read` returns the pages again in each pass; a pass counts the ids that begin with certain bits.
 */
export async function countPages<P>(
  read: () => AsyncIterable<Omit<PageEntries, 'page'> & { readonly page: P }>,
  documents: number,
): Promise<Count<P>> {
  const passes = 2 ** Math.ceil(Math.log2(Math.max(1, documents / maxIdsPerPass)))
  const pages: { page: P; lines: number; withoutId: number; stays: boolean }[] = []
  let [uniqueIds, idSum] = [0, 0n]
  for (let pass = 0; pass < passes; pass++) {
    const ids = new IdTable(Math.min(maxIdsPerPass, documents))
    let index = 0
    for await (const { page, entries, withoutId } of read()) {
      const before = ids.size
      for (let at = 0; at < entries.length; at += entryBytes)
        if (entries.readUInt32BE(at) % passes === pass) ids.numberOf(entries, at)
      const counted = pages[index] ?? { page, lines: entries.length / entryBytes, withoutId, stays: false }
      counted.stays ||= ids.size > before || withoutId > 0
      pages[index++] = counted
    }
    uniqueIds += ids.size
    idSum += ids.sum()
  }
  const staying = pages.filter(({ stays }) => stays)
  const largestPage = Math.max(0, ...pages.map(({ lines }) => lines))
  return {
    documents: sumOf(staying.map(({ lines }) => lines)),
    uniqueIds,
    withoutId: sumOf(staying.map(({ withoutId }) => withoutId)),
    received: sumOf(pages.map(({ lines }) => lines)),
    largestPage,
    largestPages: pages.filter(({ lines }) => lines === largestPage).length,
    pages: staying.map(({ page }) => page),
    idSum: idSum % 2n ** 128n,
  }
}
