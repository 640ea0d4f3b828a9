/** How many documents a snapshot may have lost, as a run stores it: a percentage of those of the published one. */
export interface ShrinkLimits {
  /** 1.0.0 reads nothing else. */
  readonly maxShrinkPercent: number
  /** Absent if the percentage was configured. By default, a lower one applies to more than a few documents. */
  readonly shrinkLimit?: 'default'
}

const byDefault = { percent: 30, lowerPercent: 10, fewDocuments: 10 } as const

export const shrinkLimitsOf = (configured: number | undefined): ShrinkLimits =>
  configured === undefined
    ? { maxShrinkPercent: byDefault.percent, shrinkLimit: 'default' }
    : { maxShrinkPercent: configured }

/** Whether a snapshot has lost more of the published documents than the guard allows: none without a percentage. */
export function hasShrunkTooMuch(
  { lost, publishedIds }: { readonly lost: number; readonly publishedIds: number },
  { maxShrinkPercent, shrinkLimit }: ShrinkLimits,
): boolean {
  const isMoreThan = (percent: number) => !(lost * 100 <= percent * publishedIds)
  const isMany = shrinkLimit === 'default' && lost > byDefault.fewDocuments
  return isMoreThan(maxShrinkPercent) || (isMany && isMoreThan(byDefault.lowerPercent))
}

/** `30%`, or the two limits that apply by default. */
export const shrinkLimitText = ({ maxShrinkPercent, shrinkLimit }: ShrinkLimits): string =>
  shrinkLimit === 'default'
    ? `${byDefault.lowerPercent}%, or ${maxShrinkPercent}% for up to ${byDefault.fewDocuments} documents`
    : `${maxShrinkPercent}%`
