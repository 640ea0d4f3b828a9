/** What the platform reports before the ranges are opened. */
export interface ReportedTotals {
  /** Of the entity without partitions. */
  readonly whole: number
  readonly ranges: readonly number[]
}

export type SplitDecision =
  | { readonly kind: 'scroll-ranges' }
  /** The sizes of the ranges differ too much: search for new boundaries. */
  | { readonly kind: 'unbalanced' }
  | { readonly kind: 'scroll-whole'; readonly reason: string }

/** Ranges share their boundary values, so their sum can be slightly larger than the total. */
const maxOverlap = 1.2
const maxShareOfMean = 2

/** Decides whether the platform's filters can split the entity, by the totals that it reports. */
export function decideSplit({ whole, ranges }: ReportedTotals): SplitDecision {
  if (ranges.length < 2) return { kind: 'scroll-whole', reason: 'The values of the field do not differ.' }
  const sum = ranges.reduce((total, documents) => total + documents, 0)
  if (sum > whole * maxOverlap) {
    return {
      kind: 'scroll-whole',
      reason: `The ranges add up to ${sum} documents and the entity has ${whole}: the platform seems to ignore the filter, or very many documents have the same value.`,
    }
  }
  const mean = whole / ranges.length
  return ranges.some((documents) => documents > maxShareOfMean * mean && documents > 1)
    ? { kind: 'unbalanced' }
    : { kind: 'scroll-ranges' }
}
