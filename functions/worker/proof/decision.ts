import { formatCount, formatDocuments } from '../../runtime/format.ts'
import type { EndEvidence, ReportedTotal } from '../../state/pages/page.ts'
import type { Proof } from '../../state/run/proof.ts'

export type ProofDecision =
  | { readonly kind: 'proven'; readonly proof: Proof }
  /** Another attempt may be complete. */
  | { readonly kind: 'unproven'; readonly reason: string }
  /** No attempt can be. */
  | { readonly kind: 'failed'; readonly reason: string }

/** An attempt whose scroll has ended. */
export interface FinishedScroll {
  readonly uniqueIds: number
  readonly total: ReportedTotal
  /** Documents of the largest page that was received. */
  readonly largestPage: number
  /** True if the outcome of a request is unknown, so that a page may be missing. */
  readonly suspect: boolean
  /** What shows that the scroll has ended. */
  readonly evidence: EndEvidence
}

/** An attempt at a snapshot. */
export interface FinishedAttempt extends FinishedScroll {
  /** Unique ids of the published snapshot; undefined if there is none. */
  readonly publishedIds: number | undefined
  readonly tolerancePercent: number
  /** Unique ids of this run's earlier attempts that were not suspect. */
  readonly earlierCleanCounts: readonly number[]
}

/** Decides whether an attempt is complete. */
export function decideProof(attempt: FinishedAttempt): ProofDecision {
  const { uniqueIds, total, largestPage, suspect, tolerancePercent, earlierCleanCounts } = attempt
  const isRepeated = earlierCleanCounts.includes(uniqueIds)
  const isEndKnown = attempt.evidence !== 'unconfirmed'
  if (total === 'malformed')
    return unproven(`The platform reported a total that is not a whole number. ${ignoreTotals}`)
  if (total === 'not-reported') return decideWithoutTotal(attempt)
  if (uniqueIds === total) {
    if (isEndKnown) return { kind: 'proven', proof: 'exact' }
    return unproven('The platform sent an empty first page and did not confirm it.')
  }
  const found = comparedCounts(uniqueIds, total)
  if (suspect) return unproven(`${found}, and a page may be missing.`)
  if (!isEndKnown && !isRepeated) return unproven(`${found}, and the platform did not confirm the end.`)
  if (Math.abs(uniqueIds - total) * 100 > tolerancePercent * total) {
    return unproven(
      `${found}, which is outside the tolerance of ${tolerancePercent}%.${isRepeated ? wrongTotal : ''}`,
    )
  }
  if (total - uniqueIds >= largestPage && !isRepeated) {
    return unproven(`${found}: a whole page or more is missing, and no other attempt found the same number.`)
  }
  return { kind: 'proven', proof: 'within-tolerance' }
}

export const comparedCounts = (uniqueIds: number, total: number): string =>
  `The platform reported ${formatDocuments(total)} and ${formatCount(uniqueIds)} unique ones were received`

const wrongTotal =
  ' Another attempt found the same number, so the total may be wrong: see totalTolerancePercent and totals.'

export const ignoreTotals = "If it never reports a valid one, set totals: 'ignore' for the entity."

function decideWithoutTotal(attempt: FinishedAttempt): ProofDecision {
  const { uniqueIds, largestPage, suspect, evidence, publishedIds, tolerancePercent, earlierCleanCounts } =
    attempt
  const noTotal = { kind: 'proven', proof: 'no-total' } as const
  if (suspect)
    return unproven('A page may be missing, and the platform reported no total to compare the count with.')
  const found = `The platform reported no total and`
  const after = `after ${formatCount(uniqueIds)} unique documents`
  switch (evidence) {
    case 'confirmed':
      return noTotal
    case 'unconfirmed':
      if (earlierCleanCounts.includes(uniqueIds)) return noTotal
      return unproven(`${found} did not confirm the end ${after}.`)
    case 'refused': {
      // A platform that has lost the scroll refuses its token too.
      if (publishedIds !== undefined && publishedIds - uniqueIds < largestPage) return noTotal
      const agrees = (count: number) => Math.abs(count - uniqueIds) * 100 <= tolerancePercent * uniqueIds
      if (earlierCleanCounts.some(agrees)) return noTotal
      const compared =
        publishedIds === undefined
          ? 'no snapshot is published to compare the count with'
          : `the published snapshot has ${formatCount(publishedIds)}`
      return unproven(
        `${found} refused to confirm the end ${after}: ${compared}, and no other attempt found as many.`,
      )
    }
  }
}

export const unproven = (reason: string): ProofDecision => ({ kind: 'unproven', reason })
