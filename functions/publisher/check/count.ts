import { entryBytes } from './entries.ts'
import { IdTable } from './id-table.ts'
import { sumOf } from './ranges.ts'

export type Count<P> = Awaited<ReturnType<typeof countPages<P>>>

/** Ids of one pass. With 24 bytes for each they have 200 MB. */
const maxIdsPerPass = 2 ** 23

/**
 * Counts pages in their order. A page whose documents all have ids that were seen before is a repeat and is dropped.
 * `read` returns the pages again in each pass; a pass counts the ids that begin with certain bits.
 */
export async function countPages<P>(
  read: () => AsyncIterable<{ readonly page: P; readonly withoutId: number; readonly entries: Buffer }>,
  documents: number,
) {
  const passes = 2 ** Math.ceil(Math.log2(Math.max(1, documents / maxIdsPerPass)))
  const all: { page: P; lines: number; withoutId: number; stays: boolean }[] = []
  let [uniqueIds, idSum] = [0, 0n]
  for (let pass = 0; pass < passes; pass++) {
    const ids = new IdTable(Math.min(maxIdsPerPass, documents))
    let index = 0
    for await (const { page, entries, withoutId } of read()) {
      const before = ids.size
      for (let at = 0; at < entries.length; at += entryBytes)
        if (entries.readUInt32BE(at) % passes === pass) ids.numberOf(entries, at)
      const counted = all[index] ?? { page, lines: entries.length / entryBytes, withoutId, stays: false }
      counted.stays ||= ids.size > before || withoutId > 0
      all[index++] = counted
    }
    uniqueIds += ids.size
    idSum += ids.sum()
  }
  const staying = all.filter(({ stays }) => stays)
  const largestPage = all.reduce((most, { lines }) => Math.max(most, lines), 0)
  return {
    pages: staying.map(({ page }) => page),
    documents: sumOf(staying.map(({ lines }) => lines)),
    withoutId: sumOf(staying.map(({ withoutId }) => withoutId)),
    uniqueIds,
    /** Modulo 2^128. */
    idSum: BigInt.asUintN(128, idSum),
    /** With the documents of repeated pages. */
    received: sumOf(all.map(({ lines }) => lines)),
    largestPage,
    largestPages: all.filter(({ lines }) => lines === largestPage).length,
  }
}
