import { expect, it } from 'vitest'
import type { ReportedTotal } from '../../../../stored/pages/page.ts'
import { decideAgreement } from '../../../../stored/partitions/agreement.ts'

const agreement = (total: number) => ({ kind: 'agreement', total })
const again = { kind: 'read-again' }
const disagreement = (why: RegExp) => ({ kind: 'disagreement', reason: expect.stringMatching(why) as string })

it.each<[string, ReportedTotal, number[], object]>([
  ['agree on one total', 100, [100, 100], agreement(100)],
  ['agree if the total lies between', 101, [100, 102], agreement(101)],
  ['agree if the total lies between in the other direction', 101, [102, 100], agreement(101)],
  ['agree as soon as a search finds as many', 101, [100, 100, 101], agreement(101)],
  ['are compared again if the scroll has more', 101, [100, 100], again],
  ['are compared again if the scroll has fewer', 99, [100, 100], again],
  ['are compared again a second time', 99, [100, 100, 100], again],
  ['nearly agree within the tolerance', 101, [100, 100, 100, 100], { kind: 'near-agreement', total: 101 }],
  ['disagree beyond the tolerance', 102, [100, 100, 100, 100], disagreement(/102 .* find 100:/)],
  ['disagree if the scroll has too few', 80, [100, 100, 101, 102], disagreement(/80 .* find 100 to 102:/)],
  ['disagree if the scroll has none', 0, [1, 1, 1, 1], disagreement(/0 .* find 1:/)],
  ['disagree on a malformed total', 'malformed', [5, 5], disagreement(/not a whole number/)],
  ['decide alone for a scroll without a total', 'not-reported', [7, 7], agreement(7)],
  ['decide alone for an empty scroll without a total', 'not-reported', [0, 0], agreement(0)],
  ['nearly agree for it if they differ', 'not-reported', [7, 8], { kind: 'near-agreement', total: 8 }],
])('the scroll of a range and its searches %s', (...[, scrolled, searched, decision]) => {
  expect(decideAgreement({ scrolled, searched, tolerancePercent: 1 })).toEqual(decision)
})
