import { type AbsenceDecision, type AbsentDocument, decideAbsence, type Evidence } from './absence.ts'
import { hasDate, isProtected } from './document-dates.ts'

/** A document that a snapshot lacks. */
export interface Absent extends Pick<AbsentDocument, 'counted'> {
  readonly document: Uint8Array
  /** Whether an increment delivered it. */
  readonly isDelivered: boolean
}

export interface AbsentRules {
  readonly evidence: Evidence
  /** The snapshot may be older than a delivered version whose date is later than this, in microseconds. */
  readonly protectedAfter: number
}

/** Deleted, or withheld: with its absences that count so far, or because the snapshot may be older. */
export type AbsentDecision = AbsenceDecision | 'protected'

/** What a change set does with a document that its snapshot lacks. */
export function decideAbsent(
  { document, counted, isDelivered }: Absent,
  { evidence, protectedAfter }: AbsentRules,
): AbsentDecision {
  if (isDelivered && isProtected(document, { protectedAfter })) return 'protected'
  return decideAbsence(evidence, { counted, isDated: hasDate(document, evidence.by) })
}
