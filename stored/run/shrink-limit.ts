/** How many documents a snapshot may have lost: this percentage of the published one, or by default two limits. */
export type MaxShrinkPercent = number | undefined

const byDefault = { percent: 30, lowerPercent: 10, fewDocuments: 10 } as const

/** The limit as a run stores it. 1.0.0 reads the percentage only. */
export interface ShrinkLimits {
  readonly maxShrinkPercent: number
  /** Absent if the percentage was configured. */
  readonly shrinkLimit?: 'default'
}

export const shrinkLimitsOf = (configured: MaxShrinkPercent): ShrinkLimits =>
  configured === undefined
    ? { maxShrinkPercent: byDefault.percent, shrinkLimit: 'default' }
    : { maxShrinkPercent: configured }

export const storedLimit = ({ maxShrinkPercent, shrinkLimit }: ShrinkLimits): MaxShrinkPercent =>
  shrinkLimit === 'default' ? undefined : maxShrinkPercent

/** Whether a snapshot has lost more of the published documents than the guard allows. */
export function hasShrunkTooMuch(
  { lost, publishedIds }: { readonly lost: number; readonly publishedIds: number },
  maxShrinkPercent: MaxShrinkPercent,
): boolean {
  const isMoreThan = (percent: number) => lost * 100 > percent * publishedIds
  if (maxShrinkPercent !== undefined) return isMoreThan(maxShrinkPercent)
  const { percent, lowerPercent, fewDocuments } = byDefault
  return isMoreThan(percent) || (lost > fewDocuments && isMoreThan(lowerPercent))
}

/** `30%`, or the two limits that apply by default. */
export function shrinkLimitText(maxShrinkPercent: MaxShrinkPercent): string {
  if (maxShrinkPercent !== undefined) return `${maxShrinkPercent}%`
  const { percent, lowerPercent, fewDocuments } = byDefault
  return `${lowerPercent}%, or ${percent}% for up to ${fewDocuments} documents`
}
