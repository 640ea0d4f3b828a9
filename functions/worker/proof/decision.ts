import type { Proof } from '../../state/proof.ts'

export type ProofDecision =
  | { readonly whole: true; readonly proof: Proof }
  | { readonly whole: false; readonly reason: string }

export interface AttemptCount {
  readonly uniqueIds: number
  /** What the first page reported; undefined if it reported none. */
  readonly total: number | undefined
  readonly pageSize: number
  /** True if the outcome of some request is unknown, so that a page may have been lost. */
  readonly suspect: boolean
  readonly tolerancePercent: number
  /** Unique ids of this run's earlier attempts that were clean. */
  readonly earlierCleanCounts: readonly number[]
}

/** Whether an attempt that came to its end is whole. */
export function decideProof(attempt: AttemptCount): ProofDecision {
  const { uniqueIds, total, pageSize, suspect, tolerancePercent, earlierCleanCounts } = attempt
  if (total === undefined) {
    if (!suspect) return { whole: true, proof: 'no-total' }
    return notWhole('The platform reported no total to check a scroll against that may have lost a page.')
  }
  if (uniqueIds === total) return { whole: true, proof: 'exact' }
  const found = `${uniqueIds} unique documents were found where the platform reported ${total}`
  if (suspect) return notWhole(`${found}, and a page may have been lost on the way.`)
  if (Math.abs(uniqueIds - total) * 100 > tolerancePercent * total) {
    return notWhole(`${found}, which is outside the tolerance of ${tolerancePercent}%.`)
  }
  if (total - uniqueIds >= pageSize && !earlierCleanCounts.includes(uniqueIds)) {
    return notWhole(`${found}: a whole page or more is missing, and no other attempt found the same number.`)
  }
  return { whole: true, proof: 'within-tolerance' }
}

function notWhole(reason: string): ProofDecision {
  return { whole: false, reason }
}
