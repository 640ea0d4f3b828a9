import type { DeliveredById, DeliveredVersion } from '../../../stored/chain/delivered-versions.ts'
import { idHashOf, versionOf } from '../../../stored/chain/delivered-versions.ts'
import { type DocumentDates, datesOf, versionDate } from '../../../stored/chain/document-dates.ts'
import type { IncrementAudit } from '../../../stored/changes/changes.ts'
import type { IncrementWindow } from '../../../stored/changes/changes-latest.ts'
import type { Identity } from '../../../stored/documents/identity.ts'

/** How a comparison treats documents that increments delivered, and what it counts of others. */
export interface DeliveredRules {
  /**
   * The snapshot may be older than a version that a window delivered which ended later than this, in microseconds: it
   * neither deletes the document nor reverts it.
   */
  readonly protectedAfter: number
  readonly lookbackMinutes: number
  /** What windows have covered since the chain's snapshot, in microseconds; undefined if no window succeeded. */
  readonly covered: { readonly from: number; readonly to: number } | undefined
  /** What increments delivered recently, including before the chain's snapshot. */
  readonly versions: DeliveredById
  /** By the keys of the increments' parts: the end of the window of the versions that are not in `versions`. */
  readonly windowEnds: ReadonlyMap<string, number>
}

/** What the windows of a chain's snapshot have covered. */
export function coveredBy(
  window: IncrementWindow | undefined,
  chainSnapshot: string,
): DeliveredRules['covered'] {
  if (window?.snapshot !== chainSnapshot) return undefined
  return { from: Date.parse(window.coveredFrom) * 1000, to: Date.parse(window.to) * 1000 }
}

/** Whether the snapshot has a protected document in an older version. */
export function isHeld(delivered: Uint8Array, inSnapshot: Uint8Array): boolean {
  const date = versionDate(datesOf(delivered))
  const other = versionDate(datesOf(inSnapshot))
  return date !== undefined && other !== undefined && other < date
}

/**
 * The delivered versions after a full set. Without those that it has replaced, an increment would leave out a version that
 * it delivered before, although readers have since received another one; and so if it did not forget what it deletes.
 */
export class VersionsAfterSet {
  readonly #versions: DeliveredById | undefined
  readonly #ignored: ReadonlySet<string>
  readonly #changed = new Map<string, DeliveredVersion | 'deleted'>()

  constructor(rules: DeliveredRules | undefined, ignored: ReadonlySet<string>) {
    this.#versions = rules?.versions
    this.#ignored = ignored
  }

  replace(identity: Identity, document: Buffer): void {
    this.#change(identity, ({ deliveredAt }) =>
      versionOf(document, datesOf(document), { ignored: this.#ignored, deliveredAt }),
    )
  }

  delete(identity: Identity): void {
    this.#change(identity, () => 'deleted')
  }

  result(): DeliveredById {
    const versions = new Map(this.#versions)
    for (const [id, version] of this.#changed) {
      if (version === 'deleted') versions.delete(id)
      else versions.set(id, version)
    }
    return versions
  }

  get isChanged(): boolean {
    return this.#changed.size > 0
  }

  #change(identity: Identity, change: (known: DeliveredVersion) => DeliveredVersion | 'deleted'): void {
    if (!this.#versions || this.#versions.size === 0) return
    const id = idHashOf(identity)
    const known = this.#versions.get(id)
    if (known) this.#changed.set(id, change(known))
  }
}

/** Counts created and updated documents that increments should have delivered. */
export class AuditCount {
  #missed = 0
  #invisible = 0
  readonly #rules: DeliveredRules | undefined

  constructor(rules: DeliveredRules | undefined) {
    this.#rules = rules
  }

  add(document: Uint8Array): void {
    const covered = this.#rules?.covered
    if (!covered) return
    const dates = datesOf(document)
    if (isIn(dates, covered)) this.#missed++
    else if (isBefore(dates, covered.from)) this.#invisible++
  }

  /** Nothing if no increment has extended the chain. */
  result(): IncrementAudit {
    if (!this.#rules) return {}
    return { missedByIncrements: this.#missed, invisibleToIncrements: this.#invisible }
  }
}

function isIn(dates: DocumentDates, { from, to }: NonNullable<DeliveredRules['covered']>): boolean {
  const date = versionDate(dates)
  return date !== undefined && date >= from && date <= to
}

/** A document without dates is in no window either. */
const isBefore = ({ createdIn = 0, updatedIn = 0 }: DocumentDates, from: number) =>
  createdIn < from && updatedIn < from
