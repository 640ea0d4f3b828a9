import { bucketCount, type Entries } from '../../documents/entries.ts'
import { type EntryRef, EntryTable } from '../../documents/entry-table.ts'
import { IdSum } from '../../documents/id-hash.ts'
import {
  baseLineWord,
  basePageWord,
  contentWord,
  contentWords,
  entryWords,
  lineWord,
  pageWord,
} from './entries.ts'

/** Receives the results of the join. An entry is `entryWords` at `at` of `entries`, valid during the call. */
export interface JoinResults {
  /** The id is in both snapshots, with different content or with a base document that is always reported. */
  readonly pair: (base: EntryRef, target: EntryRef) => void
  readonly onlyInTarget: (target: EntryRef) => void
  readonly onlyInBase: (base: EntryRef) => void
  /** The id has a version that an increment delivered last, in place of the one of a full set if there is any. */
  readonly delivered: (delivered: EntryRef, replaced: EntryRef | undefined) => void
  /** Whether a base document that is in the target is a record even if its bytes are equal. */
  readonly isAlwaysReported: (base: EntryRef) => boolean
}

/** What the join counts. Sums are of id hashes. */
export interface JoinCounts {
  readonly baseDocuments: number
  readonly targetDocuments: number
  readonly unchanged: number
  readonly baseIdSum: bigint
  readonly targetIdSum: bigint
}

/** The entries of two snapshots: those of documents that are the same in both, and the others. */
export interface JoinedEntries {
  readonly base: Entries
  /** Of increments, which replace those of the base. */
  readonly delivered: Entries
  readonly target: Entries
  readonly same: Entries
}

/** Matches the documents of two snapshots by their id hashes. If several have the same id, the last one counts. */
export function join({ base, delivered, target, same }: JoinedEntries, results: JoinResults): JoinCounts {
  const baseTable = new EntryTable(entryWords)
  const deliveredTable = new EntryTable(entryWords)
  const targetTable = new EntryTable(entryWords)
  const sameTable = new EntryTable(entryWords)
  const baseIdSum = new IdSum()
  const targetIdSum = new IdSum()
  let baseDocuments = 0
  let targetDocuments = 0
  let unchanged = 0
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    baseTable.load(base.blocks(bucket))
    deliveredTable.load(delivered.blocks(bucket))
    targetTable.load(target.blocks(bucket))
    sameTable.load(same.blocks(bucket))
    for (const ref of sameTable.refs()) {
      if (baseTable.find(ref) >= 0 || targetTable.find(ref) >= 0 || deliveredTable.find(ref) >= 0) {
        // The id occurs again elsewhere, so another line may be the last one.
        baseTable.put(sameEntry(ref, basePageWord, baseLineWord))
        targetTable.put(sameEntry(ref, pageWord, lineWord))
        continue
      }
      baseIdSum.add(ref.entries, ref.at)
      targetIdSum.add(ref.entries, ref.at)
      baseDocuments++
      targetDocuments++
      unchanged++
    }
    for (const ref of deliveredTable.refs()) {
      const at = baseTable.find(ref)
      results.delivered(ref, at < 0 ? undefined : { entries: baseTable.entries, at })
      baseTable.put(ref)
    }
    for (const ref of baseTable.refs()) {
      baseIdSum.add(ref.entries, ref.at)
      baseDocuments++
      if (targetTable.find(ref) < 0) results.onlyInBase(ref)
    }
    for (const ref of targetTable.refs()) {
      targetIdSum.add(ref.entries, ref.at)
      targetDocuments++
      const found = baseTable.find(ref)
      if (found < 0) {
        results.onlyInTarget(ref)
        continue
      }
      const before = { entries: baseTable.entries, at: found }
      if (hasSameContent(before, ref) && !results.isAlwaysReported(before)) unchanged++
      else results.pair(before, ref)
    }
  }
  return {
    baseDocuments,
    targetDocuments,
    unchanged,
    baseIdSum: baseIdSum.value(),
    targetIdSum: targetIdSum.value(),
  }
}

/** The entry of one side. Its content hash is not known, only that both sides have the same one. */
function sameEntry({ entries, at }: EntryRef, page: number, line: number): EntryRef {
  const entry = entries.slice(at, at + entryWords)
  entry[pageWord] = entries[at + page] ?? 0
  entry[lineWord] = entries[at + line] ?? 0
  entry.fill(unknownContent, contentWord, contentWord + contentWords)
  return { entries: entry, at: 0 }
}

const unknownContent = 2 ** 32 - 1

function hasSameContent(one: EntryRef, other: EntryRef): boolean {
  for (let word = contentWord; word < contentWord + contentWords; word++)
    if (one.entries[one.at + word] !== other.entries[other.at + word]) return false
  return true
}
