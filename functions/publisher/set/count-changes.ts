import type { ChangesManifest, KeptByDelivery } from '../../../stored/changes/changes.ts'
import { Damaged } from '../check/damage.ts'
import type { IdTable } from '../check/id-table.ts'
import { sumOf } from '../check/ranges.ts'
import { sumText } from '../check/set/canonical.ts'
import { lagMinutes } from '../check/set/dates.ts'
import type { BaseDocument, DecisionRules, DocumentToDecide, Outcome } from '../check/set/decide.ts'
import { decide, isProtected } from '../check/set/decide.ts'
import type { JoinedRow } from '../check/set/joined-lines.ts'
import { deliveredAtOf, factsOf, firstContent, lastContent } from '../check/set/record-entries.ts'
import type { Claim, SummedLine } from './compare-documents.ts'
import type { DeliveredRules } from './delivered-rules.ts'
import type { IndexedSet } from './index-parts.ts'
import type { JoinedPass } from './joined-sides.ts'

export interface CountingRules extends Pick<DecisionRules, 'target'> {
  readonly indexed: IndexedSet
  readonly delivered: DeliveredRules | undefined
  /** The ids that a review shows as deleted; `snapshot` if it shows those of the chain's snapshot that are absent. */
  readonly reviewed: IdTable | 'snapshot' | undefined
}

/** In more documents the contents are not added up in time. */
export const maxSummedDocuments = 10_000_000

/** Decides about every document of both sides of a set, and counts. */
export class ChangeCount {
  readonly claims: Claim[] = []
  /** What increments have delivered and replaced. */
  readonly summed: SummedLine[] = []
  baseIdSum = 0n
  stateIdSum = 0n
  targetIds = 0
  /** Whether a person has seen every document that the set deletes. */
  isReviewed: boolean
  /** Whether the set withholds again what was withheld at the base. */
  carriesWithheld = false
  /** 1 for each line of the target that counts in the state after the set. */
  readonly counting: Uint8Array
  readonly #rules: CountingRules
  readonly outcomes: Record<Outcome, number> = {
    created: 0,
    updated: 0,
    returned: 0,
    unchanged: 0,
    deleted: 0,
    withheld: 0,
    protected: 0,
    rewritten: 0,
    held: 0,
  }
  #missed = 0
  #invisible = 0
  #lastDeliveredAt = Number.NEGATIVE_INFINITY

  constructor(rules: CountingRules) {
    this.#rules = rules
    this.isReviewed = rules.reviewed !== undefined
    this.counting = new Uint8Array(Math.min(rules.indexed.sides.target.documents, maxSummedDocuments))
  }

  add(pass: JoinedPass): void {
    const { lines } = pass
    for (let id = 0; id < lines.ids.size; id++) this.#count(lines.row(id), pass)
    this.baseIdSum += lines.ids.sum((number) => lines.has(number, 'base'))
    this.stateIdSum += lines.ids.sum((number) => lines.has(number, 'target') || lines.has(number, 'withheld'))
  }

  #count(row: JoinedRow, pass: JoinedPass): void {
    const { base, target, record, withheld } = row
    if (target !== undefined) {
      this.targetIds++
      if (withheld === undefined) this.counting[target] = 1
    }
    const { indexed, delivered, reviewed } = this.#rules
    // Most documents have not changed.
    const isInPages = base !== undefined && base < indexed.sides.base.snapshot.documents
    if (isInPages && target !== undefined && row.hasSameBytes && (record ?? withheld) === undefined) {
      this.outcomes.unchanged++
      return
    }
    const id = pass.lines.ids.bytesOf(row.number)
    const before = base === undefined ? undefined : this.#baseOf(base, id)
    const ofRecord = record === undefined ? undefined : indexed.records.entryOf(record)
    const entry = withheld === undefined ? ofRecord : indexed.withheld.entryOf(withheld)
    const facts = entry && factsOf(entry.of, entry.at)
    const hasContent = (side: 'base' | 'target', place: number) =>
      entry !== undefined && pass.lines.hasContent(row.number, side, { of: entry.of, at: entry.at + place })
    const document: DocumentToDecide = {
      base: before,
      isInTarget: target !== undefined,
      hasSameBytes: row.hasSameBytes,
      record: ofRecord && facts,
      withheld: withheld === undefined ? undefined : indexed.withheld.at(withheld).object,
      hasBytesOfBase: hasContent('base', firstContent),
      hasBytesOfTarget: hasContent('target', lastContent),
      isOrdered: facts?.isOrdered ?? false,
      isReviewed: reviewed === 'snapshot' ? row.number < pass.idsInPages : (reviewed?.has(id, 0) ?? false),
    }
    const outcome = this.#decide(row, document)
    this.outcomes[outcome]++
    if (outcome === 'created' || outcome === 'updated') {
      if (document.record?.isMissed) this.#missed++
      if (document.record?.isInvisible) this.#invisible++
    }
    if (outcome === 'deleted' && !document.isReviewed) this.isReviewed = false
    if (!before || base === undefined) return
    if (withheld !== undefined && before.from === 'withheld') this.carriesWithheld = true
    if (outcome === 'held' || outcome === 'protected')
      this.#lastDeliveredAt = Math.max(this.#lastDeliveredAt, before.deliveredAt ?? 0)
    if (before.from === 'increment') {
      this.summed.push({ line: base, sign: 1n })
      const replaced = pass.beforeIncrements.get(row.number)
      if (replaced !== undefined) this.summed.push({ line: replaced, sign: -1n })
    }
    if (target !== undefined && (outcome === 'held' || outcome === 'rewritten'))
      this.claims.push({
        base,
        target,
        what: outcome,
        isProtected: isProtected(before, delivered?.protectedAfter),
      })
  }

  #decide(row: JoinedRow, document: DocumentToDecide): Outcome {
    const { indexed, target, delivered, reviewed } = this.#rules
    try {
      return decide(document, {
        target,
        protectedAfter: delivered?.protectedAfter,
        withholdsUnreviewed: reviewed !== undefined && reviewed !== 'snapshot',
      })
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      const { base, record, withheld } = row
      const changed = record === undefined ? undefined : indexed.records.nameOf(record)
      const kept = withheld === undefined ? undefined : indexed.withheld.nameOf(withheld)
      const line = base === undefined ? indexed.target.nameOf(row.target ?? 0) : indexed.base.nameOf(base)
      throw new Damaged(`${changed ?? kept ?? line} ${error.message}.`)
    }
  }

  #baseOf(line: number, id: Buffer): BaseDocument {
    const { object } = this.#rules.indexed.base.at(line)
    const version = this.#rules.indexed.versions.get(id.toString('latin1'))
    return version === undefined ? object : { ...object, deliveredAt: deliveredAtOf(version) }
  }

  get baseDocuments(): number {
    return sumOf(Object.values(this.outcomes)) - this.outcomes.created
  }

  members(): Partial<ChangesManifest> {
    const { created, updated, returned, unchanged, deleted, rewritten, held, ...others } = this.outcomes
    const withheld = others.withheld + others.protected
    const { delivered } = this.#rules
    return {
      created,
      updated: updated + returned,
      deleted,
      unchanged,
      rewritten,
      withheld,
      held: delivered && held,
      baseDocuments: this.baseDocuments,
      stateDocuments: this.targetIds + withheld,
      stateIdSum: sumText(this.stateIdSum),
      missedByIncrements: delivered && this.#missed,
      invisibleToIncrements: delivered && this.#invisible,
      keptByDelivery: delivered && this.#keptBy(delivered),
    } as Partial<ChangesManifest>
  }

  #keptBy({ lookbackMinutes }: DeliveredRules): KeptByDelivery | undefined {
    if (this.#lastDeliveredAt === Number.NEGATIVE_INFINITY) return undefined
    const lag = lagMinutes(lookbackMinutes)
    const decidedFrom = Math.ceil(this.#lastDeliveredAt / 1000 + lag * 60_000)
    return {
      withheld: this.outcomes.protected,
      lagMinutes: lag,
      decidedFrom: new Date(decidedFrom).toISOString(),
    }
  }
}
