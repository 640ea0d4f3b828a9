import type { EndEvidence, ReportedTotal } from '../../../stored/pages/page.ts'
import type { Proof } from '../../../stored/run/proof.ts'
import { formatCount, formatDocuments } from '../../runtime/format.ts'
import type { TotalsRule } from '../../runtime/settings.ts'

export type WindowDecision =
  | { readonly kind: 'proven'; readonly proof: Proof }
  /** Another scroll may be complete. */
  | { readonly kind: 'unproven'; readonly reason: string }
  /** No scroll can be. */
  | { readonly kind: 'failed'; readonly reason: string }

/** The unique ids of a scroll. Two scrolls found the same ones if these are equal. */
export interface FoundIds {
  readonly uniqueIds: number
  /** Of their fingerprints, modulo 2^64. */
  readonly sum: bigint
}

/** A scroll of an increment's window that has ended. Its total is `not-reported` if totals are ignored. */
export interface FinishedWindow extends FoundIds {
  readonly total: ReportedTotal
  /** Documents of the largest page that was received, and how many pages had as many. */
  readonly largestPage: number
  readonly largestPages: number
  /** True if the outcome of a request is unknown, so that a page may be missing. */
  readonly suspect: boolean
  /** What shows that the scroll has ended. */
  readonly evidence: EndEvidence
  /** What the increment's earlier scrolls without an unknown outcome found. */
  readonly earlierClean: readonly FoundIds[]
}

export function decideWindowProof(
  scroll: FinishedWindow,
  { totals, totalTolerancePercent }: { totals: TotalsRule; totalTolerancePercent: number },
): WindowDecision {
  const { uniqueIds, total, suspect, evidence, largestPage } = scroll
  if (totals === 'ignore') return decideByAgreement(scroll)
  if (typeof total !== 'number') {
    const what = total === 'malformed' ? 'a total that is not a whole number' : 'no total'
    return {
      kind: 'failed',
      reason: `The platform reports ${what} for a scroll with a filter. If it never reports a valid one, set totals: 'ignore' for the entity.`,
    }
  }
  const atLeast = total < Number.MAX_SAFE_INTEGER ? '' : 'at least '
  const found = `The platform reported ${atLeast}${formatDocuments(total)} and ${formatCount(uniqueIds)} unique ones were received`
  if (suspect) return unproven(`${found}, and a page may be missing.`)
  const isCap = mayBeCap(scroll)
  if (uniqueIds === total && evidence !== 'unconfirmed' && !isCap) return { kind: 'proven', proof: 'exact' }
  const isNear =
    total - uniqueIds < largestPage && Math.abs(total - uniqueIds) * 100 <= totalTolerancePercent * total
  if (isNear && isRepeated(scroll)) return { kind: 'proven', proof: 'within-tolerance' }
  return unproven(
    isCap
      ? `${found}, all in full pages, before a request was refused: the platform may have more.`
      : `${found}.`,
  )
}

/** Whether a platform that reports and sends no more than a number of full pages would end a scroll like this. */
const mayBeCap = ({ uniqueIds, total, evidence, largestPage, largestPages }: FinishedWindow): boolean =>
  uniqueIds === total && evidence === 'refused' && largestPages > 1 && uniqueIds % largestPage === 0

function decideByAgreement(scroll: FinishedWindow): WindowDecision {
  if (scroll.suspect) return unproven('A page may be missing, and totals are ignored.')
  if (isRepeated(scroll)) return { kind: 'proven', proof: 'no-total' }
  return unproven(`No two scrolls found the same documents; this one found ${scroll.uniqueIds}.`)
}

const unproven = (reason: string): WindowDecision => ({ kind: 'unproven', reason })

const isRepeated = ({ uniqueIds, sum, earlierClean }: FinishedWindow): boolean =>
  earlierClean.some((earlier) => earlier.uniqueIds === uniqueIds && earlier.sum === sum)
