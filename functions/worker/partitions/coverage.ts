import type { Proof } from '../../state/run/proof.ts'

export interface Coverage {
  /** Over all ranges. */
  readonly uniqueIds: number
  /** Of the entity without partitions, before the ranges were opened and after the last one ended. */
  readonly totalBefore: number
  readonly totalAfter: number
  readonly tolerancePercent: number
}

export type CoverageDecision =
  | { readonly kind: 'covered'; readonly proof: Proof }
  | { readonly kind: 'not-covered'; readonly reason: string }

/** Decides whether the proven ranges together contain the whole entity. */
export function decideCoverage({
  uniqueIds,
  totalBefore,
  totalAfter,
  tolerancePercent,
}: Coverage): CoverageDecision {
  if (uniqueIds === totalBefore || uniqueIds === totalAfter) return { kind: 'covered', proof: 'exact' }
  const low = Math.min(totalBefore, totalAfter)
  const high = Math.max(totalBefore, totalAfter)
  const isBetween = low < uniqueIds && uniqueIds < high
  const isNear = (total: number) => Math.abs(uniqueIds - total) * 100 <= tolerancePercent * total
  if (isBetween || isNear(totalBefore) || isNear(totalAfter))
    return { kind: 'covered', proof: 'within-tolerance' }
  return {
    kind: 'not-covered',
    reason: `The ranges have ${uniqueIds} unique documents, and the platform reported ${totalBefore} before and ${totalAfter} after them.`,
  }
}
