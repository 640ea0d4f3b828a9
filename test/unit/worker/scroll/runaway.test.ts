import { expect, it } from 'vitest'
import { runawayReason } from '../../../../functions/worker/scroll/runaway.ts'
import { type Position, startPosition } from '../../../../stored/pages/page.ts'

type Change = Omit<Partial<Position>, 'kind'>
const positionWith = (change: Change): Position => ({ ...startPosition(1000), ...change, kind: 'page' })

const repeating = 'the last 100 pages repeated earlier ones'
const withoutTotal = 'it has sent 50000 pages without a total'

it.each<[string, Change, string | undefined]>([
  ['exactly twice the reported total', { total: 100, documentsSoFar: 200 }, undefined],
  [
    'more than twice the reported total',
    { total: 100, documentsSoFar: 201 },
    "it has sent 201 documents, more than twice the reported total of 100 (if this total is always wrong, set totals: 'ignore' for the entity)",
  ],
  [
    'documents although the total is zero',
    { total: 0, documentsSoFar: 1 },
    "it has sent 1 document, more than twice the reported total of 0 (if this total is always wrong, set totals: 'ignore' for the entity)",
  ],
  ['many pages of few documents', { total: 100_000, page: 99_000, documentsSoFar: 99_000 }, undefined],
  ['99 repeated pages in a row', { total: 1e6, documentsSoFar: 1e5, repeatedPages: 99 }, undefined],
  ['100 repeated pages in a row', { total: 1e6, documentsSoFar: 1e5, repeatedPages: 100 }, repeating],
  ['100 repeated pages in a row without a total', { repeatedPages: 100 }, repeating],
  ['100 repeated pages in a row of a gigantic total', { total: 1e15, repeatedPages: 100 }, repeating],
  ['fewer than 50,000 pages without a total', { page: 49_999 }, undefined],
  ['50,000 pages without a total', { page: 50_000 }, withoutTotal],
  ['50,000 pages with a malformed total', { page: 50_000, total: 'malformed' }, withoutTotal],
  ['50,000 pages with a total', { page: 50_000, total: 1e9 }, undefined],
  ['fewer than 999,000 pages of a gigantic total', { page: 998_999, total: 1e15 }, undefined],
  ['999,000 pages of a gigantic total', { page: 999_000, total: 1e15 }, 'it has sent 999000 pages'],
])('a scroll that does not end is one that has sent %s: %o %s', (_, change, reason) => {
  expect(runawayReason(positionWith(change))).toBe(reason)
})
