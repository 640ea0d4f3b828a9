import { type AbsenceDecision, decideAbsence, type Evidence } from '../../chain/absence.ts'
import { type AbsentDecision, decideAbsent } from '../../chain/absent-document.ts'
import { idHashOfWords } from '../../chain/delivered-versions.ts'
import { fingerprintOfWords } from '../../documents/fingerprint-set.ts'
import type { ChangePart, CountedAbsences, WithheldPart } from '../../state/changes/changes.ts'
import { lineWord, pageWord } from '../join/entries.ts'
import type { EntryRef, JoinResults } from '../join/join.ts'
import type { IncrementRules } from './increment-rules.ts'
import type { Reviewed } from './reviewed.ts'
import { SelectedLines } from './selected-lines.ts'

/** Why a line is read again. Numbers from `firstPair` on name a pair of documents. */
export const purposes = { created: 0, deleted: 0, firstWithheld: 1, firstPair: 4 } as const

/** The list of withheld documents of each decision. */
const withheldAt = { 0: 0, 1: 1, protected: 2 } as const

/** The documents that a change set needs to read again: everything but the unchanged ones. */
export class Selection implements JoinResults {
  readonly base = new SelectedLines()
  readonly target = new SelectedLines()
  /** Absent documents that have to be read for their date. */
  readonly undecided = new SelectedLines()
  pairs = 0
  deleted = 0
  /** Whether documents that were withheld before still are. */
  carriesWithheld = false
  readonly #pages: number
  readonly #withheldParts: WithheldParts
  readonly #evidence: Evidence
  readonly #increments: IncrementRules | undefined
  readonly #incrementParts: BaseParts['incrementParts']
  readonly #reviewed: Reviewed | undefined
  readonly #returned = new Set<number>()
  readonly #delivered = new Set<number>()
  readonly #mayBeProtected = new Set<number>()
  /** Absent documents that no review has shown. */
  readonly #unreviewed = new Set<number>()

  /** The objects of the base are the pages of its snapshot, then its withheld documents, then those of increments. */
  constructor(base: BaseParts, { evidence, increments, reviewed }: SelectionRules) {
    this.#pages = base.pages
    this.#withheldParts = base.withheldParts
    this.#incrementParts = base.incrementParts
    this.#evidence = evidence
    this.#increments = increments
    this.#reviewed = reviewed
  }

  onlyInBase(base: EntryRef): void {
    const position = { page: pageOf(base), line: lineOf(base) }
    const decision = this.#decisionOn(position, true)
    const isCertain = decision === this.#decisionOn(position, false) && !this.#isDelivered(base)
    if (this.#isDelivered(base)) this.#mayBeProtected.add(nameOf(position))
    if (this.#isUnreviewed(base)) this.#unreviewed.add(nameOf(position))
    if (isCertain) this.#select(position, decision)
    else this.undecided.add(position.page, position.line, 0)
  }

  /** Decides on a document of `undecided`. */
  decide(position: Position, document: Uint8Array): void {
    const known = {
      document,
      counted: this.#countedAt(position),
      isDelivered: this.#mayBeProtected.has(nameOf(position)),
    }
    const { protectedAfter = Number.POSITIVE_INFINITY } = this.#increments ?? {}
    const rules = { evidence: this.#evidence, protectedAfter }
    this.#select(position, decideAbsent(known, rules))
  }

  /** Whether a person who accepted the set did not see that it deletes the document. */
  #isUnreviewed(base: EntryRef): boolean {
    if (!this.#reviewed) return false
    const { ids, laterParts } = this.#reviewed
    const { key = '' } = this.#incrementParts[pageOf(base) - this.#pages - this.#withheldParts.length] ?? {}
    return laterParts.has(key) || !ids.has(fingerprintOfWords(base.entries, base.at))
  }

  /** The documents of the chain's snapshot and of increments are absent for the first time. */
  #countedAt({ page }: Position): CountedAbsences {
    return this.#withheldParts[page - this.#pages]?.countedAbsences ?? 0
  }

  #decisionOn(position: Position, isDated: boolean): AbsenceDecision {
    return decideAbsence(this.#evidence, { counted: this.#countedAt(position), isDated })
  }

  #select({ page, line }: Position, proven: AbsentDecision): void {
    const decision = proven === 'deleted' ? this.#reviewedDecision({ page, line }) : proven
    if (decision === 'deleted') this.deleted++
    else if (this.#isWithheldAt(page)) this.carriesWithheld = true
    const purpose = decision === 'deleted' ? purposes.deleted : purposes.firstWithheld + withheldAt[decision]
    this.base.add(page, line, purpose)
  }

  /** A document whose deletion nobody has reviewed is withheld; the next comparison decides again. */
  #reviewedDecision(position: Position): AbsentDecision {
    if (!this.#unreviewed.has(nameOf(position))) return 'deleted'
    return this.#mayBeProtected.has(nameOf(position)) ? 'protected' : 1
  }

  onlyInTarget(target: EntryRef): void {
    this.target.add(pageOf(target), lineOf(target), purposes.created)
  }

  pair(base: EntryRef, target: EntryRef): void {
    const pair = this.pairs++
    if (this.isAlwaysReported(base)) this.#returned.add(pair)
    if (this.#isDelivered(base)) this.#delivered.add(pair)
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

  /** Whether an increment delivered the base of the pair. */
  isDelivered(pair: number): boolean {
    return this.#delivered.has(pair)
  }

  #isWithheldAt(page: number): boolean {
    return page >= this.#pages && page < this.#pages + this.#withheldParts.length
  }

  #isDelivered(base: EntryRef): boolean {
    return (
      this.#isDeliveredAt(pageOf(base)) ||
      (this.#increments?.delivered.has(idHashOfWords(base.entries, base.at)) ?? false)
    )
  }

  #isDeliveredAt(page: number): boolean {
    if (this.#isWithheldAt(page)) return this.#withheldParts[page - this.#pages]?.delivered ?? false
    return page >= this.#pages
  }
}

/** What decides about documents that the target lacks. */
interface SelectionRules {
  readonly evidence: Evidence
  readonly increments: IncrementRules | undefined
  readonly reviewed: Reviewed | undefined
}

/** The objects of a base. */
interface BaseParts {
  readonly pages: number
  readonly withheldParts: WithheldParts
  readonly incrementParts: readonly Pick<ChangePart, 'key'>[]
}

type WithheldParts = readonly Pick<WithheldPart, 'countedAbsences' | 'delivered'>[]

interface Position {
  readonly page: number
  readonly line: number
}

const nameOf = ({ page, line }: Position) => page * 2 ** 32 + line
const pageOf = ({ entries, at }: EntryRef) => entries[at + pageWord] ?? 0
const lineOf = ({ entries, at }: EntryRef) => entries[at + lineWord] ?? 0
