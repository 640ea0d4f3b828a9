import type { EndEvidence, ReportedTotal } from '../../state/pages/page.ts'
import type { IncrementProof } from '../../state/run/proof.ts'

/** A scroll of a window that has reached its end. */
export interface FinishedScroll {
  readonly uniqueIds: number
  /** Of its first page. */
  readonly total: ReportedTotal
  /** True if the outcome of a request is unknown. */
  readonly suspect: boolean
  readonly evidence: EndEvidence
  /** Unique ids of the increment's earlier scrolls without an unknown outcome. */
  readonly earlierCleanCounts: readonly number[]
}

export type IncrementProofDecision =
  | { readonly kind: 'proven'; readonly proof: IncrementProof }
  | { readonly kind: 'repeat'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Whether the scroll of a window is complete. */
export function decideIncrementProof(scroll: FinishedScroll): IncrementProofDecision {
  const { uniqueIds, total, suspect, evidence, earlierCleanCounts } = scroll
  if (typeof total !== 'number') {
    const what = total === 'malformed' ? 'a total that is not a whole number' : 'no total'
    return { kind: 'failed', reason: `The platform reports ${what} for a scroll with a filter.` }
  }
  const found = `The platform reported ${total} documents and ${uniqueIds} unique ones were received`
  if (suspect) return { kind: 'repeat', reason: `${found}, and a page may be missing.` }
  if (uniqueIds === total && evidence !== 'unconfirmed') return { kind: 'proven', proof: 'exact' }
  if (earlierCleanCounts.includes(uniqueIds)) return { kind: 'proven', proof: 'within-tolerance' }
  return { kind: 'repeat', reason: `${found}.` }
}
