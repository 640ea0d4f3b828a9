import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Reading } from '../../../../stored/partitions/coverage.ts'
import { decideCoverage, isBalanced, keptBoundaries } from '../../../../stored/partitions/coverage.ts'

/** Three ranges, and two boundaries with a document each. */
const reading = (missing: number, before = 100, after = before): Reading => ({
  wholeBefore: before,
  wholeAfter: after,
  ranges: [10, 41, 51 - missing],
  boundaries: [1, 1],
})
const exact = { kind: 'covered', coverage: 'exact' }
const again = { kind: 'read-again' }
const approximate = { kind: 'covered', coverage: 'approximate' }
const notCovered = (why: RegExp) => ({ kind: 'not-covered', reason: expect.stringMatching(why) as string })

describe('ranges contain an entity', () => {
  it.each([
    ['before anything was read', [], again],
    ['if they have as many documents as it', [reading(0)], exact],
    ['if a repeated reading shows it', [reading(3), reading(0)], exact],
    ['not yet if a document is missing', [reading(1)], again],
    ['not yet if it changed, although the sum is right', [reading(0, 100, 101)], again],
    ['not yet if it changed to the sum', [reading(0, 99, 100)], again],
    ['not if the same mismatch shows twice', [reading(1), reading(1)], notCovered(/have 99 .* has 100/)],
    ['not if a range has too many twice', [reading(-4), reading(-4)], notCovered(/have 104 .* has 100/)],
    ['not yet if another mismatch shows', [reading(1), reading(2)], again],
    ['not yet if the entity changed between the readings', [reading(1, 101), reading(1, 100)], again],
    ['not yet if it changed during one', [reading(1, 100, 102), reading(1)], again],
    [
      'approximately if it keeps changing and the sum lies between its readings',
      [101, 102, 103, 104, 105].map((whole) => reading(-2, whole - 1, whole)),
      approximate,
    ],
    [
      'not if it was unchanged once, although the sum lies between its readings',
      [reading(-2, 100), ...[102, 103, 104, 105].map((whole) => reading(-2, whole - 1, whole))],
      notCovered(/have 102/),
    ],
    [
      'not if it keeps changing and the sum is below its readings',
      [101, 102, 103, 104, 105].map((whole) => reading(40, whole - 1, whole)),
      notCovered(/have 60/),
    ],
    [
      'not if it keeps changing and the sum is above its readings',
      [101, 102, 103, 104, 105].map((whole) => reading(-40, whole - 1, whole)),
      notCovered(/have 140/),
    ],
    [
      'not if five readings of an unchanged entity differ',
      [1, 2, 1, 2, 1].map((missing) => reading(missing)),
      notCovered(/have 99/),
    ],
    [
      'not if the platform ignores their filters',
      [1, 2].map(() => ({ wholeBefore: 9, wholeAfter: 9, ranges: [9, 9, 9], boundaries: [9] })),
      notCovered(/ignore the filter/),
    ],
  ])('%s', (_, readings, decision) => expect(decideCoverage(readings)).toEqual(decision))

  it('never exactly if a document of an unchanged entity is in no range', () => {
    const total = fc.nat({ max: 1_000 })
    const readings = fc.array(
      fc.record({ ranges: fc.array(total, { minLength: 2 }), missing: fc.nat({ max: 9 }) }),
      { minLength: 1, maxLength: 5 },
    )
    fc.assert(
      fc.property(readings, (given) => {
        const read = given.map(({ ranges, missing }) => {
          const whole = ranges.reduce((sum, one) => sum + one, 0) + missing + 1
          return { wholeBefore: whole, wholeAfter: whole, ranges, boundaries: [] }
        })
        expect(decideCoverage(read)).not.toEqual(exact)
      }),
    )
  })
})

it.each([
  ['are kept while they have at most a fifth of the entity', [10, 10], 100, ['a', 'b']],
  ['are dropped, the largest first', [10, 11], 100, ['a']],
  ['are dropped until the rest has at most a fifth', [21, 21], 100, []],
  ['are kept if they have no document', [0, 0], 0, ['a', 'b']],
])('boundaries %s', (...[, documents, whole, kept]) => {
  expect(keptBoundaries(['a', 'b'], documents, whole)).toEqual(kept)
})

it.each([
  ['at twice the mean', [20, 5, 5], true],
  ['not above twice the mean', [21, 4, 5], false],
  ['if each has one document at most', [1, 0, 0], true],
])('ranges are balanced %s: %j', (_, ranges, expected) => {
  const whole = ranges.reduce((sum, one) => sum + one, 0)
  expect(isBalanced({ wholeBefore: whole, wholeAfter: whole, ranges, boundaries: [] })).toBe(expected)
})
