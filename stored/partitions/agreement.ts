import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import type { ReportedTotal } from '../pages/page.ts'

/** What scroll and search report about the documents of one range. */
export interface OpenedRange {
  /** Of the scroll's first response. */
  readonly scrolled: ReportedTotal
  /** Before the range was opened, right after that, and later. Not empty. */
  readonly searched: readonly number[]
  readonly tolerancePercent: number
}

export type AgreementDecision =
  /** `total` is how many documents the scroll must return. */
  | { readonly kind: 'agreement' | 'near-agreement'; readonly total: number }
  | { readonly kind: 'read-again' }
  | { readonly kind: 'disagreement'; readonly reason: string }

/** One before the range was opened, one right after that, and two more. */
const maxSearches = 4

/** Decides whether scroll and search agree on a range. For a scroll without a total, only its searches are compared. */
export function decideAgreement({ scrolled, searched, tolerancePercent }: OpenedRange): AgreementDecision {
  if (scrolled === 'malformed') {
    return { kind: 'disagreement', reason: 'The platform reported a total that is not a whole number.' }
  }
  const low = Math.min(...searched)
  const high = Math.max(...searched)
  if (scrolled === 'not-reported')
    return { kind: low === high ? 'agreement' : 'near-agreement', total: searched.at(-1) ?? low }
  const difference = Math.max(low - scrolled, scrolled - high)
  if (difference <= 0) return { kind: 'agreement', total: scrolled }
  if (searched.length < maxSearches) return { kind: 'read-again' }
  if (difference * 100 <= tolerancePercent * scrolled) return { kind: 'near-agreement', total: scrolled }
  const found = low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`
  return {
    kind: 'disagreement',
    reason: `The scroll of a range reports ${formatDocuments(scrolled)} and searches find ${found}: they treat its filter differently.`,
  }
}
