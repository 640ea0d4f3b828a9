import { bucketCount } from '../documents/entries.ts'
import { type EntryRef, EntryTable } from '../documents/entry-table.ts'
import { IdSum } from '../documents/id-hash.ts'
import { contentWord, entryWords } from './entries.ts'
import type { IndexedSides } from './index-sides.ts'

/** Receives the results of the join. An entry is `entryWords` at `at` of `entries`, valid during the call. */
export interface JoinResults {
  /** The id is in both snapshots, with different content or with a base document that is always reported. */
  readonly pair: (base: EntryRef, target: EntryRef) => void
  readonly onlyInTarget: (target: EntryRef) => void
  readonly onlyInBase: (base: EntryRef) => void
  /** Whether a base document that is in the target is a record even if its bytes are equal. */
  readonly isAlwaysReported: (base: EntryRef) => boolean
}

/** What the join counts. The sum is of id hashes. */
export interface JoinCounts {
  readonly baseDocuments: number
  readonly targetDocuments: number
  readonly unchanged: number
  readonly targetIdSum: bigint
}

/**
 * Matches the documents of a state and a snapshot by their id hashes. If several have the same id, the last one counts, and
 * what increments delivered replaces it.
 */
export function join(
  { base, delivered, target }: Pick<IndexedSides, 'base' | 'delivered' | 'target'>,
  results: JoinResults,
): JoinCounts {
  const baseTable = new EntryTable(entryWords)
  const deliveredTable = new EntryTable(entryWords)
  const targetTable = new EntryTable(entryWords)
  const targetIdSum = new IdSum()
  let baseDocuments = 0
  let targetDocuments = 0
  let unchanged = 0
  for (let bucket = 0; bucket < bucketCount; bucket++) {
    baseTable.load(base.blocks(bucket))
    deliveredTable.load(delivered.blocks(bucket))
    targetTable.load(target.blocks(bucket))
    for (const ref of deliveredTable.refs()) baseTable.put(ref)
    for (const ref of baseTable.refs()) {
      baseDocuments++
      if (targetTable.find(ref) < 0) results.onlyInBase(ref)
    }
    for (const ref of targetTable.refs()) {
      targetIdSum.add(ref.entries, ref.at)
      targetDocuments++
      const at = baseTable.find(ref)
      const before = { entries: baseTable.entries, at }
      if (at < 0) results.onlyInTarget(ref)
      else if (hasSameContent(before, ref) && !results.isAlwaysReported(before)) unchanged++
      else results.pair(before, ref)
    }
  }
  return { baseDocuments, targetDocuments, unchanged, targetIdSum: targetIdSum.value() }
}

const hasSameContent = (one: EntryRef, other: EntryRef) =>
  one.entries[one.at + contentWord] === other.entries[other.at + contentWord] &&
  one.entries[one.at + contentWord + 1] === other.entries[other.at + contentWord + 1]
