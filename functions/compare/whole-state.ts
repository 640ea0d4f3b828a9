import { ContentSum } from '../chain/content-sum.ts'
import { type PageSource, readPages } from '../chain/read-pages.ts'
import type { StatePart } from '../chain/state-parts.ts'
import { Entries } from '../documents/entries.ts'
import { IdSum, idSumText, writeIdHash } from '../documents/id-hash.ts'
import { StoredLines } from '../documents/stored-lines.ts'
import { freeMemory } from '../runtime/free-memory.ts'
import { contentWord, entryWords, lineWord, pageWord } from './join/entries.ts'
import { type JoinResults, join } from './join/join.ts'
import type { State } from './records/proof.ts'

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

/** The state that these parts have, which are read as a whole. */
export async function readState(
  source: PageSource,
  parts: readonly StatePart[],
  { idField, ignore, isSummed }: StateRules,
): Promise<State & { readonly documents: number }> {
  using entries = new Entries(entryWords)
  using none = new Entries(entryWords)
  const idFieldBytes = Buffer.from(idField)
  const contents = new ContentSum(ignore)
  const entry = new Uint32Array(entryWords)
  let documents = 0
  for await (const { index, text } of readPages(source, parts, [...parts.keys()])) {
    const lines = new StoredLines(text, idFieldBytes)
    for (let line = 0; lines.next(); line++, documents++) {
      writeIdHash(lines.identity(), entry, 0)
      if (isSummed) writeIdHash(contents.canonical(text.subarray(lines.start, lines.end)), entry, contentWord)
      entry[pageWord] = index
      entry[lineWord] = line
      entries.add(entry)
    }
    freeMemory(text)
  }
  const contentSum = new IdSum()
  const results: JoinResults = {
    onlyInTarget: ({ entries, at }) => contentSum.add(entries, at + contentWord),
    onlyInBase: () => undefined,
    delivered: () => undefined,
    pair: () => undefined,
    isAlwaysReported: () => false,
  }
  const joined = join({ base: none, delivered: none, target: entries, same: none }, results)
  return {
    documents,
    stateDocuments: joined.targetDocuments,
    stateIdSum: idSumText(joined.targetIdSum),
    ...(isSummed && { stateContentSum: idSumText(contentSum.value()) }),
  }
}
