import { lineWord, pageWord } from '../join/entries.ts'
import type { EntryRef, JoinResults } from '../join/join.ts'
import { SelectedLines } from './selected-lines.ts'

/** Why a line is read again. Numbers from `firstPair` on name a pair of documents. */
export const purposes = { created: 0, deleted: 0, withheld: 1, firstPair: 2 } as const

/** What the absence of a document from the snapshot means. */
export type Absence = 'deleted' | 'withheld'

/** The documents that a change set needs to read again: everything but the unchanged ones. */
export class Selection implements JoinResults {
  readonly base = new SelectedLines()
  readonly target = new SelectedLines()
  pairs = 0
  deleted = 0
  readonly #withheldFrom: number
  readonly #absence: Absence
  readonly #returned = new Set<number>()

  /** `withheldFrom`: from this position on the objects of the base contain withheld documents. */
  constructor(withheldFrom: number, absence: Absence) {
    this.#withheldFrom = withheldFrom
    this.#absence = absence
  }

  /** A withheld document is absent from the tip's snapshot, so its absence from this one is the second in a row. */
  onlyInBase(base: EntryRef): void {
    if (this.#absence === 'deleted' || this.isAlwaysReported(base)) {
      this.deleted++
      select(this.base, base, purposes.deleted)
    } else {
      select(this.base, base, purposes.withheld)
    }
  }

  onlyInTarget(target: EntryRef): void {
    select(this.target, target, purposes.created)
  }

  pair(base: EntryRef, target: EntryRef): void {
    const pair = this.pairs++
    if (this.isAlwaysReported(base)) this.#returned.add(pair)
    select(this.base, base, purposes.firstPair + pair)
    select(this.target, target, purposes.firstPair + pair)
  }

  /** A withheld document that reappears is an update, so that readers that do not have it receive it. */
  isAlwaysReported({ entries, at }: EntryRef): boolean {
    return (entries[at + pageWord] ?? 0) >= this.#withheldFrom
  }

  /** Whether the base of the pair was withheld. */
  hasReturned(pair: number): boolean {
    return this.#returned.has(pair)
  }
}

function select(lines: SelectedLines, { entries, at }: EntryRef, purpose: number): void {
  lines.add(entries[at + pageWord] ?? 0, entries[at + lineWord] ?? 0, purpose)
}
