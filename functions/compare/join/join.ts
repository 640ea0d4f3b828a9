import { IdSum } from '../../documents/id-hash.ts'
import {
  baseLineWord,
  basePageWord,
  bucketCount,
  contentWord,
  contentWords,
  type Entries,
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

export interface EntryRef {
  readonly entries: Uint32Array
  readonly at: number
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
  const baseTable = new EntryTable()
  const deliveredTable = new EntryTable()
  const targetTable = new EntryTable()
  const sameTable = new EntryTable()
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

/** The entries of one bucket, found by their id hashes: a flat table that is at most half full. */
class EntryTable {
  entries = new Uint32Array(entryWords * 1024)
  /** Positions of entries plus one; zero is free. Their number is a power of two. */
  #slots = new Uint32Array(2048)
  #length = 0

  load(blocks: Iterable<Uint32Array>): void {
    this.#length = 0
    this.#slots.fill(0)
    for (const block of blocks) {
      this.#allocate(this.#length + block.length)
      for (let at = 0; at < block.length; at += entryWords) this.#put(block, at)
    }
  }

  /** Adds an entry. */
  put({ entries, at }: EntryRef): void {
    this.#allocate(this.#length + entryWords)
    this.#put(entries, at)
  }

  /** Yields one object, which it changes for each entry. */
  *refs(): Generator<EntryRef> {
    const ref = { entries: this.entries, at: 0 }
    for (; ref.at < this.#length; ref.at += entryWords) yield ref
  }

  /** Where the entry with this id hash is, or -1. */
  find({ entries, at }: EntryRef): number {
    return (this.#slots[this.#slotOf(entries, at)] ?? 0) - 1
  }

  /** Adds the entry, unless the table has one with the same id hash and a later line. */
  #put(block: Uint32Array, at: number): void {
    const slot = this.#slotOf(block, at)
    const known = this.#slots[slot] ?? 0
    if (known !== 0 && isLater({ entries: this.entries, at: known - 1 }, { entries: block, at })) return
    const position = known === 0 ? this.#length : known - 1
    for (let word = 0; word < entryWords; word++) this.entries[position + word] = block[at + word] ?? 0
    if (known !== 0) return
    this.#slots[slot] = position + 1
    this.#length += entryWords
  }

  /** The slot of the entry with this id hash, or the free one where it would be. */
  #slotOf(entries: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1
    let slot = (entries[at + 1] ?? 0) & mask
    for (;;) {
      const position = this.#slots[slot] ?? 0
      if (position === 0 || this.#hasIdAt(position - 1, entries, at)) return slot
      slot = (slot + 1) & mask
    }
  }

  #hasIdAt(position: number, entries: Uint32Array, at: number): boolean {
    const own = this.entries
    return (
      own[position] === entries[at] &&
      own[position + 1] === entries[at + 1] &&
      own[position + 2] === entries[at + 2] &&
      own[position + 3] === entries[at + 3]
    )
  }

  #allocate(words: number): void {
    if (words <= this.entries.length) return
    const old = this.entries
    let length = old.length
    while (length < words) length *= 2
    this.entries = new Uint32Array(length)
    this.entries.set(old.subarray(0, this.#length))
    this.#slots = new Uint32Array((2 * this.entries.length) / entryWords)
    this.#rehash()
  }

  #rehash(): void {
    for (let at = 0; at < this.#length; at += entryWords) this.#slots[this.#slotOf(this.entries, at)] = at + 1
  }
}

/** Whether the first entry is of a later line than the second. */
function isLater(one: EntryRef, other: EntryRef): boolean {
  const page = one.entries[one.at + pageWord] ?? 0
  const otherPage = other.entries[other.at + pageWord] ?? 0
  if (page !== otherPage) return page > otherPage
  return (one.entries[one.at + lineWord] ?? 0) > (other.entries[other.at + lineWord] ?? 0)
}
