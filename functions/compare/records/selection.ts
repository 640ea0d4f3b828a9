import { hasDate } from '../../documents/has-date.ts'
import { type AbsenceDecision, decideAbsence, type Evidence } from '../../state/changes/absence.ts'
import type { WithheldPart } from '../../state/changes/changes.ts'
import { lineWord, pageWord } from '../join/entries.ts'
import type { EntryRef, JoinResults } from '../join/join.ts'
import { SelectedLines } from './selected-lines.ts'

/** Why a line is read again. Numbers from `firstPair` on name a pair of documents. */
export const purposes = { created: 0, deleted: 0, firstWithheld: 1, firstPair: 3 } as const

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
  readonly #returned = new Set<number>()

  /** The objects of the base are the pages of its snapshot, then the parts with its withheld documents. */
  constructor(base: { readonly pages: number; readonly withheldParts: WithheldParts }, evidence: Evidence) {
    this.#pages = base.pages
    this.#withheldParts = base.withheldParts
    this.#evidence = evidence
  }

  onlyInBase(base: EntryRef): void {
    const position = { page: pageOf(base), line: lineOf(base) }
    const decision = this.#decisionOn(position, true)
    if (decision === this.#decisionOn(position, false)) this.#select(position, decision)
    else this.undecided.add(position.page, position.line, 0)
  }

  /** Decides on a document of `undecided`. */
  decide(position: Position, document: Uint8Array): void {
    this.#select(position, this.#decisionOn(position, hasDate(document, this.#evidence.by)))
  }

  /** The documents of the tip's snapshot are absent for the first time. */
  #decisionOn({ page }: Position, isDated: boolean): AbsenceDecision {
    const counted = this.#withheldParts[page - this.#pages]?.countedAbsences ?? 0
    return decideAbsence(this.#evidence, { counted, isDated })
  }

  #select({ page, line }: Position, decision: AbsenceDecision): void {
    if (decision === 'deleted') this.deleted++
    else if (page >= this.#pages) this.carriesWithheld = true
    this.base.add(page, line, decision === 'deleted' ? purposes.deleted : purposes.firstWithheld + decision)
  }

  onlyInTarget(target: EntryRef): void {
    this.target.add(pageOf(target), lineOf(target), purposes.created)
  }

  pair(base: EntryRef, target: EntryRef): void {
    const pair = this.pairs++
    if (this.isAlwaysReported(base)) this.#returned.add(pair)
    this.base.add(pageOf(base), lineOf(base), purposes.firstPair + pair)
    this.target.add(pageOf(target), lineOf(target), purposes.firstPair + pair)
  }

  /** A withheld document that reappears is an update, so that readers that do not have it receive it. */
  isAlwaysReported(base: EntryRef): boolean {
    return pageOf(base) >= this.#pages
  }

  /** Whether the base of the pair was withheld. */
  hasReturned(pair: number): boolean {
    return this.#returned.has(pair)
  }
}

type WithheldParts = readonly Pick<WithheldPart, 'countedAbsences'>[]

interface Position {
  readonly page: number
  readonly line: number
}

const pageOf = ({ entries, at }: EntryRef) => entries[at + pageWord] ?? 0
const lineOf = ({ entries, at }: EntryRef) => entries[at + lineWord] ?? 0
