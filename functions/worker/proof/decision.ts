import type { ReportedTotal } from '../../state/pages/page.ts'
import type { Proof } from '../../state/run/proof.ts'

export type ProofDecision =
  | { readonly kind: 'proven'; readonly proof: Proof }
  | { readonly kind: 'unproven'; readonly reason: string }

/** An attempt whose scroll has ended. */
export interface FinishedAttempt {
  readonly uniqueIds: number
  readonly total: ReportedTotal
  /** Documents of the largest page that was received. */
  readonly largestPage: number
  /** True if the outcome of a request is unknown, so that a page may be missing. */
  readonly suspect: boolean
  /** False if the platform did not respond when the end of the scroll was requested once more. */
  readonly isEndConfirmed: boolean
  readonly tolerancePercent: number
  /** Unique ids of this run's earlier attempts that were not suspect. */
  readonly earlierCleanCounts: readonly number[]
}

/** Decides whether an attempt is complete. */
export function decideProof(attempt: FinishedAttempt): ProofDecision {
  const { uniqueIds, total, largestPage, suspect, tolerancePercent, earlierCleanCounts } = attempt
  const isRepeated = earlierCleanCounts.includes(uniqueIds)
  if (total === 'malformed') return unproven('The platform reported a total that is not a whole number.')
  if (total === 'not-reported') {
    if (suspect)
      return unproven('A page may be missing, and the platform reported no total to compare the count with.')
    if (attempt.isEndConfirmed || isRepeated) return { kind: 'proven', proof: 'no-total' }
    return unproven(
      `The platform reported no total and did not confirm the end after ${uniqueIds} unique documents.`,
    )
  }
  if (uniqueIds === total) {
    if (attempt.isEndConfirmed) return { kind: 'proven', proof: 'exact' }
    return unproven('The platform sent an empty first page and did not confirm it.')
  }
  const found = `The platform reported ${total} documents and ${uniqueIds} unique ones were received`
  if (suspect) return unproven(`${found}, and a page may be missing.`)
  if (!attempt.isEndConfirmed && !isRepeated)
    return unproven(`${found}, and the platform did not confirm the end.`)
  if (Math.abs(uniqueIds - total) * 100 > tolerancePercent * total) {
    return unproven(`${found}, which is outside the tolerance of ${tolerancePercent}%.`)
  }
  if (total - uniqueIds >= largestPage && !isRepeated) {
    return unproven(`${found}: a whole page or more is missing, and no other attempt found the same number.`)
  }
  return { kind: 'proven', proof: 'within-tolerance' }
}

function unproven(reason: string): ProofDecision {
  return { kind: 'unproven', reason }
}
