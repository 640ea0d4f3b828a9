import { describe, expect, it } from 'vitest'
import { decideCoverage, decideSplit } from '../../../../functions/worker/partitions/coverage.ts'

describe('decideSplit', () => {
  it.each([
    {
      of: 'ranges that add up to the whole',
      whole: 400,
      ranges: [100, 100, 100, 100],
      kind: 'scroll-ranges',
    },
    {
      of: 'ranges that share boundary values',
      whole: 400,
      ranges: [110, 120, 120, 110, 5],
      kind: 'scroll-ranges',
    },
    { of: 'a range of more than twice the mean', whole: 400, ranges: [300, 50, 50, 0], kind: 'unbalanced' },
    { of: 'a filter that the platform ignores', whole: 400, ranges: [400, 400, 400], kind: 'scroll-whole' },
    { of: 'ranges at the largest overlap', whole: 100, ranges: [60, 60], kind: 'scroll-ranges' },
    { of: 'ranges beyond the largest overlap', whole: 100, ranges: [61, 60], kind: 'scroll-whole' },
    { of: 'a single range', whole: 400, ranges: [400], kind: 'scroll-whole' },
    { of: 'an entity without documents', whole: 0, ranges: [0, 0, 0], kind: 'scroll-ranges' },
    { of: 'one document', whole: 1, ranges: [1, 0, 0], kind: 'scroll-ranges' },
  ])('decides $kind for $of', ({ whole, ranges, kind }) => {
    expect(decideSplit({ whole, ranges }).kind).toBe(kind)
  })
})

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
