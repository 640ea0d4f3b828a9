import type { AbsenceDecision, AbsenceEvidence, AbsentDecision } from '../../../stored/chain/absence.ts'
import { decideAbsence } from '../../../stored/chain/absence.ts'
import { idHashOfWords } from '../../../stored/chain/delivered-versions.ts'
import { decidedFrom, hasDate, lagMinutesOf } from '../../../stored/chain/document-dates.ts'
import type { StatePart } from '../../../stored/chain/state-parts.ts'
import type { CountedAbsences, KeptByDelivery } from '../../../stored/changes/changes.ts'
import type { EntryRef } from '../../../stored/documents/entry-table.ts'
import { fingerprintOfWords } from '../../../stored/documents/fingerprint-set.ts'
import { lineWord, pageWord } from '../../../stored/join/entries.ts'
import type { JoinResults } from '../../../stored/join/join.ts'
import { SelectedLines } from '../../../stored/join/selected-lines.ts'
import type { DeliveredRules } from './delivered-rules.ts'
import type { Reviewed } from './reviewed.ts'

/**
 * Why a line is read again. A document is withheld as `uncounted` or `counted` by whether its absence counts, and as
 * `delivered` if the snapshot may be older than the increment that delivered it. Numbers from `firstPair` on name a
 * pair of documents.
 */
export const purposes = {
  created: 0,
  deleted: 0,
  uncounted: 1,
  counted: 2,
  delivered: 3,
  firstPair: 4,
} as const

const purposeOf = {
  deleted: purposes.deleted,
  0: purposes.uncounted,
  1: purposes.counted,
  protected: purposes.delivered,
} as const

/** What is known of an absent document, as the purpose of its line if it has to be read for its date. */
const marks = { none: 0, delivered: 1, unreviewed: 2 } as const

/** The documents that a change set needs to read again: everything but the unchanged ones. */
export class Selection implements JoinResults {
  readonly base = new SelectedLines()
  readonly target = new SelectedLines()
  /** Absent documents that have to be read for their date. */
  readonly undecided = new SelectedLines()
  pairs = 0
  deleted = 0
  #unreviewed = 0
  /** Whether documents that were withheld before still are. */
  carriesWithheld = false
  readonly #parts: readonly StatePart[]
  readonly #evidence: AbsenceEvidence
  readonly #delivered: DeliveredRules | undefined
  readonly #reviewed: Reviewed | undefined
  readonly #returned = new Set<number>()
  /** When the base of each protected pair was delivered. */
  readonly #protected = new Map<number, number>()
  #protectedAbsent = 0
  #lastDeliveredAt = Number.NEGATIVE_INFINITY

  /** `parts`: the state that is compared. */
  constructor(parts: readonly StatePart[], { evidence, delivered, reviewed }: SelectionRules) {
    this.#parts = parts
    this.#evidence = evidence
    this.#delivered = delivered
    this.#reviewed = reviewed
  }

  onlyInBase(base: EntryRef): void {
    const deliveredAt = this.#deliveredAt(base)
    const delivered = deliveredAt === undefined ? marks.none : marks.delivered
    const purpose = delivered + (this.#isUnreviewed(base) ? marks.unreviewed : marks.none)
    const absent = { page: pageOf(base), line: lineOf(base), purpose }
    const decision = this.#decisionOn(absent.page, true)
    if (this.#isProtected(deliveredAt)) {
      this.#protectedAbsent++
      this.#keep(deliveredAt)
      this.#select(absent, 'protected')
    } else if (decision === this.#decisionOn(absent.page, false)) this.#select(absent, decision)
    else this.undecided.add(absent.page, absent.line, purpose)
  }

  /** Decides on a document of `undecided`. */
  decide(absent: AbsentLine, document: Uint8Array): void {
    this.#select(absent, this.#decisionOn(absent.page, hasDate(document, this.#evidence.by)))
  }

  /** Whether a person who accepted the set did not see that it deletes the document. */
  #isUnreviewed(base: EntryRef): boolean {
    const reviewed = this.#reviewed
    if (!reviewed) return false
    if (reviewed.kind === 'snapshot')
      return this.#partOf(base)?.from !== 'snapshot' && !reviewed.ids.has(base)
    return !reviewed.ids.has(fingerprintOfWords(base.entries, base.at))
  }

  /** Whether a person has seen every document that the set deletes. */
  get isReviewed(): boolean {
    return this.#reviewed !== undefined && this.#unreviewed === 0
  }

  /** The documents of the chain's snapshot and of increments are absent for the first time. */
  #countedAt(page: number): CountedAbsences {
    const part = this.#parts[page]
    return part?.from === 'withheld' ? part.countedAbsences : 0
  }

  #decisionOn(page: number, isDated: boolean): AbsenceDecision {
    return decideAbsence(this.#evidence, { counted: this.#countedAt(page), isDated })
  }

  #select({ page, line, purpose }: AbsentLine, proven: AbsentDecision): void {
    const isUnreviewed = (purpose & marks.unreviewed) > 0
    let decision = proven
    // What nobody has reviewed is withheld; the next comparison decides again.
    if (proven === 'deleted' && isUnreviewed && this.#reviewed?.kind === 'set')
      decision = purpose & marks.delivered ? 'protected' : 1
    if (decision === 'deleted') {
      this.deleted++
      if (isUnreviewed) this.#unreviewed++
    } else if (this.#isWithheldAt(page)) this.carriesWithheld = true
    this.base.add(page, line, purposeOf[decision])
  }

  onlyInTarget(target: EntryRef): void {
    this.target.add(pageOf(target), lineOf(target), purposes.created)
  }

  pair(base: EntryRef, target: EntryRef): void {
    const pair = this.pairs++
    if (this.isAlwaysReported(base)) this.#returned.add(pair)
    const deliveredAt = this.#deliveredAt(base)
    if (this.#isProtected(deliveredAt)) this.#protected.set(pair, deliveredAt)
    this.base.add(pageOf(base), lineOf(base), purposes.firstPair + pair)
    this.target.add(pageOf(target), lineOf(target), purposes.firstPair + pair)
  }

  /** A withheld document that reappears is an update, so that readers that do not have it receive it. */
  isAlwaysReported(base: EntryRef): boolean {
    return this.#isWithheldAt(pageOf(base))
  }

  /** Whether the base of the pair was withheld. */
  hasReturned(pair: number): boolean {
    return this.#returned.has(pair)
  }

  /** Whether the snapshot may be older than the base of the pair, which an increment delivered. */
  isProtected(pair: number): boolean {
    return this.#protected.has(pair)
  }

  /** The set does not go back to the snapshot's version of a protected pair. */
  hold(pair: number): void {
    if (this.hasReturned(pair)) this.carriesWithheld = true
    this.#keep(this.#protected.get(pair) ?? Number.NEGATIVE_INFINITY)
  }

  /** What an increment delivered too late for this snapshot to decide about it. */
  keptByDelivery(): KeptByDelivery | undefined {
    if (!this.#delivered || this.#lastDeliveredAt === Number.NEGATIVE_INFINITY) return undefined
    const { lookbackMinutes } = this.#delivered
    return {
      withheld: this.#protectedAbsent,
      lagMinutes: lagMinutesOf(lookbackMinutes),
      decidedFrom: decidedFrom(this.#lastDeliveredAt, lookbackMinutes),
    }
  }

  #keep(deliveredAt: number): void {
    this.#lastDeliveredAt = Math.max(this.#lastDeliveredAt, deliveredAt)
  }

  #isWithheldAt(page: number): boolean {
    return this.#parts[page]?.from === 'withheld'
  }

  #isProtected(deliveredAt: number | undefined): deliveredAt is number {
    if (deliveredAt === undefined || !this.#delivered) return false
    return deliveredAt > this.#delivered.protectedAfter
  }

  /** The end of the window that delivered the document, in microseconds; undefined if no increment did. */
  #deliveredAt(base: EntryRef): number | undefined {
    const known = this.#delivered?.versions.get(idHashOfWords(base.entries, base.at))
    if (known) return known.deliveredAt
    const part = this.#partOf(base)
    if (part?.from === 'withheld') return part.delivered && longAgo
    return part?.from === 'increment' ? (this.#delivered?.windowEnds.get(part.key) ?? longAgo) : undefined
  }

  #partOf(base: EntryRef): StatePart | undefined {
    return this.#parts[pageOf(base)]
  }
}

/** When a withheld document was delivered that is not remembered: too long ago to be protected. */
const longAgo = Number.NEGATIVE_INFINITY

/** What decides about documents that the target lacks. */
interface SelectionRules {
  readonly evidence: AbsenceEvidence
  readonly delivered: DeliveredRules | undefined
  readonly reviewed: Reviewed | undefined
}

/** `purpose`: what is known of it, as `marks`. */
type AbsentLine = Readonly<Record<'page' | 'line' | 'purpose', number>>

const pageOf = ({ entries, at }: EntryRef) => entries[at + pageWord] ?? 0
const lineOf = ({ entries, at }: EntryRef) => entries[at + lineWord] ?? 0
