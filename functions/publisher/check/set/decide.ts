import type { CountedAbsences, WithheldPart } from '../../../../stored/changes/changes.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { Damaged } from '../damage.ts'
import type { RecordFacts } from './record-entries.ts'

/** A document of the state before a set. */
export interface BaseDocument {
  readonly from: 'snapshot' | 'withheld' | 'increment'
  readonly counted: CountedAbsences
  /** The end of the window that delivered it, in microseconds; undefined if no increment did. */
  readonly deliveredAt: number | undefined
}

export interface DocumentToDecide {
  readonly base: BaseDocument | undefined
  readonly isInTarget: boolean
  readonly hasSameBytes: boolean
  /** What a proposed set has of it. */
  readonly record: RecordFacts | undefined
  readonly withheld: Pick<WithheldPart, 'countedAbsences' | 'delivered'> | undefined
  /** Whether the first of the documents in these has the bytes of the base, and the last one those of the snapshot. */
  readonly hasBytesOfBase: boolean
  readonly hasBytesOfTarget: boolean
  /** Whether what is deleted or withheld has a date that ranges can order. */
  readonly isOrdered: boolean
  /** Whether the review of an accepted set shows that it is deleted. */
  readonly isReviewed: boolean
}

export interface DecisionRules {
  /** The snapshot that the set leads to. */
  readonly target: Pick<Manifest, 'proof' | 'partitionedBy'>
  /** What a window delivered that ended later (microseconds) is neither deleted nor reverted. */
  readonly protectedAfter: number | undefined
  /** True for a set that a person reviewed: what the review does not show is withheld. */
  readonly withholdsUnreviewed: boolean
}

export type Outcome = ReturnType<typeof decide>

/**
 * What becomes of a document. `rewritten` and `held` are claims: the documents have to be compared. Throws `Damaged` if the
 * proposed set does something else.
 */
export function decide(document: DocumentToDecide, rules: DecisionRules) {
  const { base, isInTarget, record, withheld } = document
  if (record && withheld) throw new Damaged('has a record and is withheld')
  if (base) return isInTarget ? decidePair(base, document, rules) : decideAbsent(base, document, rules)
  if (withheld) throw new Damaged('is withheld, and the base does not have it')
  if (!isInTarget) throw new Damaged('has a record, and is neither in the base nor in the snapshot')
  if (record?.op !== 'c') throw new Damaged(`is created, and has ${nameOf(record)}`)
  if (!document.hasBytesOfTarget) throw new Damaged('is created with other bytes than the snapshot has')
  return 'created'
}

const nameOf = (record: RecordFacts | undefined) => (record ? `a record ${record.op}` : 'no record')
export const isProtected = ({ deliveredAt }: BaseDocument, after = Number.POSITIVE_INFINITY): boolean =>
  deliveredAt !== undefined && deliveredAt > after

function decidePair(base: BaseDocument, document: DocumentToDecide, rules: DecisionRules) {
  const { record, withheld, hasSameBytes, hasBytesOfBase } = document
  const hasReturned = base.from === 'withheld'
  if (withheld) {
    if (!isProtected(base, rules.protectedAfter)) throw new Damaged('is withheld, and the snapshot has it')
    if (withheld.delivered !== true || !hasBytesOfBase)
      throw new Damaged('is held with other bytes than were delivered')
    return 'held'
  }
  if (!record) {
    if (hasReturned) throw new Damaged('was withheld and is back, and has no record')
    return hasSameBytes ? 'unchanged' : 'rewritten'
  }
  if (record.op !== 'u') throw new Damaged(`is in the base and in the snapshot, and has ${nameOf(record)}`)
  if (!hasBytesOfBase) throw new Damaged('is updated from other bytes than the base has')
  if (!document.hasBytesOfTarget) throw new Damaged('is updated to other bytes than the snapshot has')
  if (record.isReverted && isProtected(base, rules.protectedAfter))
    throw new Damaged('goes back to a version that is older than the delivered one')
  if (hasReturned) return 'returned'
  if (record.isEqual || hasSameBytes) throw new Damaged('has not changed, and has a record')
  return 'updated'
}

function decideAbsent(base: BaseDocument, document: DocumentToDecide, rules: DecisionRules) {
  const { record, withheld, hasBytesOfBase } = document
  const isKept = isProtected(base, rules.protectedAfter)
  const counted = isKept ? 0 : countAbsences(rules.target, base.counted, document.isOrdered)
  // What nobody has reviewed is withheld; the next comparison decides again.
  const isUnreviewed = counted === 2 && rules.withholdsUnreviewed && !document.isReviewed
  if (counted === 2 && !isUnreviewed) {
    if (record?.op !== 'd') throw new Damaged(`is deleted, and has ${nameOf(record)}`)
    if (!hasBytesOfBase) throw new Damaged('is deleted with other bytes than the base has')
    return 'deleted'
  }
  if (!withheld) throw new Damaged(`is withheld, and has ${nameOf(record)}`)
  if (!hasBytesOfBase) throw new Damaged('is withheld with other bytes than the base has')
  const isDelivered = isKept || (isUnreviewed && base.deliveredAt !== undefined)
  const absences = isDelivered ? 0 : Math.min(counted, 1)
  const { countedAbsences, delivered = false } = withheld
  if (delivered !== isDelivered || countedAbsences !== absences)
    throw new Damaged(
      `is withheld with ${countedAbsences} counted absences (delivered: ${delivered}); ${absences} count (delivered: ${isDelivered})`,
    )
  return isKept ? 'protected' : 'withheld'
}

/** How many absences count with this one. Two delete a document, and so does one that is proven. */
function countAbsences(
  { proof, partitionedBy }: DecisionRules['target'],
  counted: CountedAbsences,
  isOrdered: boolean,
): number {
  const { absences } = partitionedBy ?? { absences: proof === 'exact' ? 'proven' : 'repeatable' }
  if (absences === 'proven' && (!partitionedBy || isOrdered)) return 2
  // Version 1.0.0 recorded nothing about absences from ranges.
  return absences === 'proven' || absences === 'repeatable' ? counted + 1 : counted
}
