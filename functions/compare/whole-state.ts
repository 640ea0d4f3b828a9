import { ContentSum } from '../chain/content-sum.ts'
import { type PageSource, readPages } from '../chain/read-pages.ts'
import type { StatePart } from '../chain/state-parts.ts'
import { bucketCount, Entries } from '../documents/entries.ts'
import { EntryTable } from '../documents/entry-table.ts'
import { IdSum, idHashWords, idSumText, writeIdHash } from '../documents/id-hash.ts'
import { StoredLines } from '../documents/stored-lines.ts'
import { freeMemory } from '../runtime/free-memory.ts'
import type { State } from './compare.ts'

const maxSummedDocuments = 10_000_000
/** Of the stored objects, which are compressed. */
const maxSummedBytes = 2 * 1024 ** 3

/** Whether there is time for the sum of the contents of all documents, which takes most of it. */
export function isSummable(parts: readonly Pick<StatePart, 'documents' | 'bytes'>[]): boolean {
  const sum = (member: 'documents' | 'bytes') => parts.reduce((total, part) => total + part[member], 0)
  return sum('documents') <= maxSummedDocuments && sum('bytes') <= maxSummedBytes
}

interface StateRules {
  readonly idField: string
  readonly ignore: readonly string[]
  readonly isSummed: boolean
}

/** An entry has the id hash, the hash of the content, the page and the line. */
const contentWord = idHashWords
const pageWord = 2 * idHashWords
const entryWords = pageWord + 2

/** The state that these parts have, which are read as a whole. */
export async function readState(
  source: PageSource,
  parts: readonly StatePart[],
  { idField, ignore, isSummed }: StateRules,
): Promise<State> {
  using entries = new Entries(entryWords)
  const idFieldBytes = Buffer.from(idField)
  const contents = new ContentSum(ignore)
  const entry = new Uint32Array(entryWords)
  for await (const { index, text } of readPages(source, parts, [...parts.keys()])) {
    const lines = new StoredLines(text, idFieldBytes)
    for (let line = 0; lines.next(); line++) {
      writeIdHash(lines.identity(), entry, 0)
      if (isSummed) writeIdHash(contents.canonical(text.subarray(lines.start, lines.end)), entry, contentWord)
      entry[pageWord] = index
      entry[pageWord + 1] = line
      entries.add(entry)
    }
    freeMemory(text)
  }
  const [idSum, contentSum, table] = [new IdSum(), new IdSum(), new EntryTable(entryWords)]
  let stateDocuments = 0
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    table.load(entries.blocks(bucket))
    for (const { entries, at } of table.refs()) {
      stateDocuments++
      idSum.add(entries, at)
      contentSum.add(entries, at + contentWord)
    }
  }
  return {
    stateDocuments,
    stateIdSum: idSumText(idSum.value()),
    ...(isSummed && { stateContentSum: idSumText(contentSum.value()) }),
  }
}
