import { describe, expect, it } from 'vitest'
import { decideCoverage, decideSplit } from '../../../../functions/worker/partitions/coverage.ts'

describe('decideSplit', () => {
  it.each([
    ['ranges that add up to the whole', 400, [100, 100, 100, 100], 'scroll-ranges'],
    ['ranges that share a few boundary values', 400, [110, 120, 120, 110, 5], 'scroll-ranges'],
    ['a range of more than twice the mean', 400, [300, 50, 50, 0], 'unbalanced'],
    ['a filter that the platform ignores', 400, [400, 400, 400], 'scroll-whole'],
    ['a single range', 400, [400], 'scroll-whole'],
    ['an entity without documents', 0, [0, 0, 0], 'scroll-ranges'],
    ['one document', 1, [1, 0, 0], 'scroll-ranges'],
  ] as const)('%s', (_, whole, ranges, expected) => {
    expect(decideSplit({ whole, ranges }).kind).toBe(expected)
  })
})

describe('decideCoverage', () => {
  it.each([
    ['the total before', 1000, 1000, 1005, 'exact'],
    ['the total after', 1005, 1000, 1005, 'exact'],
    ['a number between the two', 1100, 1000, 1200, 'within-tolerance'],
    ['a number within the tolerance below both', 992, 1000, 1002, 'within-tolerance'],
    ['a number within the tolerance above both', 1009, 1000, 1000, 'within-tolerance'],
    ['too few documents', 989, 1000, 1000, 'not-covered'],
    ['too many documents', 1011, 1000, 1000, 'not-covered'],
    ['documents where none are reported', 1, 0, 0, 'not-covered'],
    ['no documents where none are reported', 0, 0, 0, 'exact'],
  ] as const)('accepts or rejects %s', (_, uniqueIds, totalBefore, totalAfter, expected) => {
    const decision = decideCoverage({ uniqueIds, totalBefore, totalAfter, tolerancePercent: 1 })
    expect(decision.kind === 'covered' ? decision.proof : decision.kind).toBe(expected)
  })
})
