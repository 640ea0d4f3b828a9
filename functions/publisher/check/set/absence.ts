import type { CountedAbsences } from '../../../../stored/changes/changes.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'

/** What the absence of a document from a snapshot shows, by that snapshot's proof. */
export type AbsenceRule = (document: {
  /** Absences that count so far. */
  readonly counted: CountedAbsences
  /** Whether ranges could order it. */
  readonly isDated: boolean
}) => 'deleted' | CountedAbsences

/** One absence that is proven deletes a document, and so do two that count. */
export function absenceRule({
  proof,
  partitionedBy,
}: Pick<Manifest, 'proof' | 'partitionedBy'>): AbsenceRule {
  if (!partitionedBy) return ({ counted }) => (proof === 'exact' || counted === 1 ? 'deleted' : 1)
  // Version 1.0.0 recorded nothing about absences from ranges.
  const { absences = 'unknown' } = partitionedBy as { absences?: typeof partitionedBy.absences }
  if (absences === 'unknown') return ({ counted }) => counted
  return ({ counted, isDated }) => ((absences === 'proven' && isDated) || counted === 1 ? 'deleted' : 1)
}
