import { bucketCount, Entries } from '../documents/entries.ts'
import { EntryTable } from '../documents/entry-table.ts'
import { idHashWords, writeIdHash } from '../documents/id-hash.ts'
import { PageLines } from '../documents/stored-lines.ts'
import type { Manifest } from '../snapshots/manifest.ts'
import { type Page, type PageSource, readPages } from './read-pages.ts'

/** The lines of each page that do not count, by the position of the page, with the next line that has the same id. */
export type SupersededLines = ReadonlyMap<number, ReadonlyMap<number, Place>>

type Place = readonly [page: number, line: number]

/** The words of an id hash, the page and the line. */
const entryWords = idHashWords + 2

/**
 * Finds the lines whose id a later line has. Documents without an id are known by their bytes. A page may come in several
 * pieces; pages come in their order.
 */
export async function findSuperseded(pages: AsyncIterable<Page>, idField: string): Promise<SupersededLines> {
  const entries = new Entries(entryWords)
  // Not `using`: a checkout also runs on Node 22, which does not parse it.
  try {
    const idFieldBytes = Buffer.from(idField)
    const entry = new Uint32Array(entryWords)
    let page = -1
    let line = 0
    for await (const { index, text } of pages) {
      if (index !== page) line = 0
      page = index
      for (const lines = new PageLines(text, idFieldBytes); lines.next(); line++) {
        writeIdHash(lines.identity(), entry, 0)
        entry[idHashWords] = page
        entry[idHashWords + 1] = line
        entries.add(entry)
      }
    }
    return supersededOf(entries)
  } finally {
    entries[Symbol.dispose]()
  }
}

/** The superseded lines of a snapshot. Its pages are only read if it has any. */
export async function supersededIn(
  source: PageSource,
  { pages, documents, uniqueIds, idField }: Manifest,
): Promise<SupersededLines> {
  if (documents === uniqueIds) return new Map()
  return findSuperseded(readPages(source, pages, [...pages.keys()]), idField)
}

function supersededOf(entries: Entries): SupersededLines {
  const superseded = new Map<number, Map<number, Place>>()
  const table = new EntryTable(entryWords)
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    table.load([])
    for (const block of entries.blocks(bucket))
      for (let at = 0; at < block.length; at += entryWords) {
        const entry = { entries: block, at }
        const known = table.find(entry)
        if (known >= 0) {
          const [page = 0, line = 0] = table.entries.subarray(known + idHashWords)
          const [byPage = 0, byLine = 0] = block.subarray(at + idHashWords)
          const lines = superseded.get(page) ?? new Map<number, Place>()
          superseded.set(page, lines.set(line, [byPage, byLine]))
        }
        table.put(entry)
      }
  }
  return superseded
}
