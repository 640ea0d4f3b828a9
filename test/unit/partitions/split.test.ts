import { describe, expect, it } from 'vitest'
import { decideSplit } from '../../../functions/partitions/split.ts'

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
