import type { TotalsRule } from '../../runtime/settings.ts'
import type { EndEvidence, ReportedTotal } from '../../state/pages/page.ts'
import type { IncrementProof } from '../../state/run/proof.ts'

/** The unique ids of a scroll. Two scrolls found the same ones if these are equal. */
export interface FoundIds {
  readonly uniqueIds: number
  /** Of their fingerprints, modulo 2^64. */
  readonly sum: bigint
}

/** A scroll of a window that has reached its end. */
export interface FinishedScroll extends FoundIds {
  /** Of its first page; `not-reported` if totals are ignored. */
  readonly total: ReportedTotal
  /** True if the outcome of a request is unknown. */
  readonly suspect: boolean
  readonly evidence: EndEvidence
  /** Documents of the largest page that was received. */
  readonly largestPage: number
  /** What the increment's earlier scrolls without an unknown outcome found. */
  readonly earlierClean: readonly FoundIds[]
}

export interface IncrementProofRules {
  readonly totals: TotalsRule
  readonly totalTolerancePercent: number
}

export type IncrementProofDecision =
  | { readonly kind: 'proven'; readonly proof: IncrementProof }
  | { readonly kind: 'repeat'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Whether the scroll of a window is complete. */
export function decideIncrementProof(
  scroll: FinishedScroll,
  { totals, totalTolerancePercent }: IncrementProofRules,
): IncrementProofDecision {
  const { uniqueIds, total, suspect, evidence, largestPage } = scroll
  if (totals === 'ignore') return decideByAgreement(scroll)
  if (typeof total !== 'number') {
    const what = total === 'malformed' ? 'a total that is not a whole number' : 'no total'
    const fix = "If it never reports a valid one, set totals: 'ignore' for the entity."
    return { kind: 'failed', reason: `The platform reports ${what} for a scroll with a filter. ${fix}` }
  }
  const found = `The platform reported ${total} documents and ${uniqueIds} unique ones were received`
  if (suspect) return { kind: 'repeat', reason: `${found}, and a page may be missing.` }
  if (uniqueIds === total && evidence !== 'unconfirmed') return { kind: 'proven', proof: 'exact' }
  const isNear =
    total - uniqueIds < largestPage && Math.abs(total - uniqueIds) * 100 <= totalTolerancePercent * total
  if (isNear && isRepeated(scroll)) return { kind: 'proven', proof: 'within-tolerance' }
  return { kind: 'repeat', reason: `${found}.` }
}

function decideByAgreement(scroll: FinishedScroll): IncrementProofDecision {
  if (scroll.suspect) return { kind: 'repeat', reason: 'A page may be missing, and totals are ignored.' }
  if (isRepeated(scroll)) return { kind: 'proven', proof: 'no-total' }
  const reason = `No two scrolls found the same documents; this one found ${scroll.uniqueIds}.`
  return { kind: 'repeat', reason }
}

const isRepeated = ({ uniqueIds, sum, earlierClean }: FinishedScroll): boolean =>
  earlierClean.some((earlier) => earlier.uniqueIds === uniqueIds && earlier.sum === sum)
