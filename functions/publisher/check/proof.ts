import type { Proof } from '../../../stored/run/proof.ts'
import { formatCount, formatDocuments } from '../../runtime/format-count.ts'

/**
 * What shows that a scroll has ended: nothing makes it doubtful (`confirmed`); it was confirmed by a 4xx, which a lost
 * cursor receives, too (`refused`); nothing confirms it (`unconfirmed`); an error at the total may be a cap (`capped`).
 */
export type End = 'confirmed' | 'refused' | 'unconfirmed' | 'capped'

/** The total that the platform reported with the first page. A malformed one proves nothing. */
export type Total = number | 'malformed' | undefined

/** An attempt whose scroll has ended, as it was counted. */
export interface Attempt {
  readonly uniqueIds: number
  readonly total: Total
  readonly largestPage: number
  /** True if a request may have moved the cursor and brought nothing. */
  readonly suspect: boolean
  readonly end: End
}

export interface ProofRules {
  readonly tolerancePercent: number
  /** Unique ids of the published snapshot; null if there is none. */
  readonly publishedIds: number | null
  /** Earlier attempts of the same range that have ended. */
  readonly earlier: readonly Pick<Attempt, 'uniqueIds' | 'suspect'>[]
}

export type ProofDecision =
  | { readonly kind: 'proven'; readonly proof: Proof }
  | { readonly kind: 'unproven'; readonly reason: string }

const proven = (proof: Proof): ProofDecision => ({ kind: 'proven', proof })
const unproven = (reason: string): ProofDecision => ({ kind: 'unproven', reason })

/** A total is written in digits, also with a fraction of zeros. Equal ones may be repeated by an intermediary. */
export function readTotal(text: string | undefined): Total {
  if (text === undefined) return undefined
  const values = [...new Set(text.split(',').map((one) => one.trim()))].join()
  if (!/^\d+(?:\.0+)?$/.test(values)) return 'malformed'
  const total = Number(values)
  return Number.isSafeInteger(total) ? total : 'malformed'
}

export function decideProof(attempt: Attempt, rules: ProofRules): ProofDecision {
  const { uniqueIds, total, suspect, end } = attempt
  if (total === 'malformed')
    return unproven(
      "The platform reported a total that is not a whole number. If it never reports a valid one, set totals: 'ignore' for the entity.",
    )
  if (total === undefined) return decideWithoutTotal(attempt, rules)
  const agrees = cleanCounts(rules).includes(uniqueIds)
  const found = `The platform reported ${formatDocuments(total)} and ${formatCount(uniqueIds)} unique ones were received`
  if (uniqueIds === total && end === 'confirmed') return proven('exact')
  if (uniqueIds === total && end === 'unconfirmed')
    return unproven('The platform sent an empty first page and did not confirm it.')
  if (suspect) return unproven(`${found}, and a page may be missing.`)
  if (end === 'capped' && !agrees)
    return unproven(
      `${found}, in full pages, and the platform refused the request for the next one: it may send no more than these. No other attempt found the same number.`,
    )
  if (end === 'unconfirmed' && !agrees) return unproven(`${found}, and the platform did not confirm the end.`)
  if (Math.abs(uniqueIds - total) * 100 > rules.tolerancePercent * total)
    return unproven(
      `${found}, which is outside the tolerance of ${rules.tolerancePercent}%.${agrees ? ' Another attempt found the same number, so the total may be wrong, or documents may share ids: see totalTolerancePercent, totals and idField.' : ''}`,
    )
  if (total - uniqueIds >= attempt.largestPage && !agrees)
    return unproven(`${found}: a whole page or more is missing, and no other attempt found the same number.`)
  return proven('within-tolerance')
}

function decideWithoutTotal(attempt: Attempt, rules: ProofRules): ProofDecision {
  const { uniqueIds, largestPage, suspect, end } = attempt
  const { publishedIds, tolerancePercent } = rules
  if (suspect)
    return unproven('A page may be missing, and the platform reported no total to compare the count with.')
  if (end === 'confirmed') return proven('no-total')
  const after = `after ${formatCount(uniqueIds)} unique documents`
  if (end === 'unconfirmed')
    return cleanCounts(rules).includes(uniqueIds)
      ? proven('no-total')
      : unproven(`The platform reported no total and did not confirm the end ${after}.`)
  // A platform that has lost the scroll refuses its token, too.
  if (publishedIds !== null && publishedIds - uniqueIds < largestPage) return proven('no-total')
  const isNear = (count: number) => Math.abs(count - uniqueIds) * 100 <= tolerancePercent * uniqueIds
  if (cleanCounts(rules).some(isNear)) return proven('no-total')
  const compared =
    publishedIds === null
      ? 'no snapshot is published to compare the count with'
      : `the published snapshot has ${formatCount(publishedIds)}`
  return unproven(
    `The platform reported no total and refused to confirm the end ${after}: ${compared}, and no other attempt found as many.`,
  )
}

/** The count of a suspect attempt never vouches for another. */
const cleanCounts = ({ earlier }: ProofRules) =>
  earlier.filter(({ suspect }) => !suspect).map(({ uniqueIds }) => uniqueIds)
