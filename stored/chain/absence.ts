import type { CountedAbsences } from '../changes/changes.ts'
import type { Proof } from '../run/proof.ts'
import type { Absences } from '../run/split.ts'

/** What the absence of a document from a snapshot means. */
export interface AbsenceEvidence {
  readonly absences: Absences
  /** The field whose ranges were scrolled; undefined if the entity was scrolled as a whole. */
  readonly by: string | undefined
}

interface ProvenSnapshot {
  readonly proof: Proof
  readonly partitionedBy?: { readonly by: string; readonly absences?: Absences }
}

/** Ranges whose manifest does not mention absences prove none. */
export function absenceEvidence({ proof, partitionedBy }: ProvenSnapshot): AbsenceEvidence {
  if (partitionedBy) return { absences: partitionedBy.absences ?? 'unknown', by: partitionedBy.by }
  return { absences: proof === 'exact' ? 'proven' : 'repeatable', by: undefined }
}

export interface AbsentDocument {
  readonly counted: CountedAbsences
  /** Whether the field of the ranges contains a date. */
  readonly isDated: boolean
}

/** Deleted, or withheld with its absences that count so far. */
export type AbsenceDecision = 'deleted' | CountedAbsences

/** The same, or withheld because an increment delivered it and the snapshot may be older. */
export type AbsentDecision = AbsenceDecision | 'protected'

/** A document without a date may be in no range, so its absence counts once like that from an inexact snapshot. */
export function decideAbsence(
  { absences, by }: AbsenceEvidence,
  { counted, isDated }: AbsentDocument,
): AbsenceDecision {
  if (absences === 'unknown') return counted
  const isProven = absences === 'proven' && (by === undefined || isDated)
  return isProven || counted === 1 ? 'deleted' : 1
}
