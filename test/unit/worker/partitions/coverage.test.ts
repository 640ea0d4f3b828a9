import { describe, expect, it } from 'vitest'
import { decideCoverage } from '../../../../functions/worker/partitions/coverage.ts'

describe('decideCoverage', () => {
  it.each([
    { found: 'the total before', uniqueIds: 1000, totals: [1000, 1005], decision: 'exact' },
    { found: 'the total after', uniqueIds: 1005, totals: [1000, 1005], decision: 'exact' },
    {
      found: 'a number between the two',
      uniqueIds: 1100,
      totals: [1000, 1200],
      decision: 'within-tolerance',
    },
    {
      found: 'a number just within the tolerance',
      uniqueIds: 990,
      totals: [1000, 1000],
      decision: 'within-tolerance',
    },
    {
      found: 'a number near the total after',
      uniqueIds: 1009,
      totals: [900, 1001],
      decision: 'within-tolerance',
    },
    { found: 'too few documents', uniqueIds: 989, totals: [1000, 1000], decision: 'not-covered' },
    { found: 'too many documents', uniqueIds: 1011, totals: [1000, 1000], decision: 'not-covered' },
    { found: 'a document where none is reported', uniqueIds: 1, totals: [0, 0], decision: 'not-covered' },
    { found: 'no documents where none is reported', uniqueIds: 0, totals: [0, 0], decision: 'exact' },
  ])('decides $decision for $found', ({ uniqueIds, totals, decision: expected }) => {
    const [totalBefore = 0, totalAfter = 0] = totals
    const decision = decideCoverage({ uniqueIds, totalBefore, totalAfter, tolerancePercent: 1 })
    expect(decision.kind === 'covered' ? decision.proof : decision.kind).toBe(expected)
  })
})
