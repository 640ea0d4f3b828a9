import type { TotalsRule } from '../../runtime/settings.ts'
import {
  comparedCounts,
  type FinishedScroll,
  ignoreTotals,
  type ProofDecision,
  unproven,
} from './decision.ts'

/** The unique ids of a scroll. Two scrolls found the same ones if these are equal. */
export interface FoundIds {
  readonly uniqueIds: number
  /** Of their fingerprints, modulo 2^64. */
  readonly sum: bigint
}

/** A scroll of an increment's window. Its total is `not-reported` if totals are ignored. */
export interface FinishedWindow extends FinishedScroll, FoundIds {
  /** What the increment's earlier scrolls without an unknown outcome found. */
  readonly earlierClean: readonly FoundIds[]
}

export interface WindowProofRules {
  readonly totals: TotalsRule
  readonly totalTolerancePercent: number
}

/** Whether the scroll of a window is complete. */
export function decideWindowProof(
  scroll: FinishedWindow,
  { totals, totalTolerancePercent }: WindowProofRules,
): ProofDecision {
  const { uniqueIds, total, suspect, evidence, largestPage } = scroll
  if (totals === 'ignore') return decideByAgreement(scroll)
  if (typeof total !== 'number') {
    const what = total === 'malformed' ? 'a total that is not a whole number' : 'no total'
    return {
      kind: 'failed',
      reason: `The platform reports ${what} for a scroll with a filter. ${ignoreTotals}`,
    }
  }
  const found = comparedCounts(uniqueIds, total)
  if (suspect) return unproven(`${found}, and a page may be missing.`)
  if (uniqueIds === total && evidence !== 'unconfirmed') return { kind: 'proven', proof: 'exact' }
  const isNear =
    total - uniqueIds < largestPage && Math.abs(total - uniqueIds) * 100 <= totalTolerancePercent * total
  if (isNear && isRepeated(scroll)) return { kind: 'proven', proof: 'within-tolerance' }
  return unproven(`${found}.`)
}

function decideByAgreement(scroll: FinishedWindow): ProofDecision {
  if (scroll.suspect) return unproven('A page may be missing, and totals are ignored.')
  if (isRepeated(scroll)) return { kind: 'proven', proof: 'no-total' }
  return unproven(`No two scrolls found the same documents; this one found ${scroll.uniqueIds}.`)
}

const isRepeated = ({ uniqueIds, sum, earlierClean }: FinishedWindow): boolean =>
  earlierClean.some((earlier) => earlier.uniqueIds === uniqueIds && earlier.sum === sum)
