import { describe, expect, it } from 'vitest'
import { type Position, startPosition } from '../../../functions/state/page.ts'
import { runawayReason } from '../../../functions/worker/scroll/runaway.ts'

const positionWith = (change: Partial<Position>): Position => ({
  ...startPosition(1000),
  kind: 'page',
  ...change,
})

describe('a scroll that does not end', () => {
  it.each<[string, Partial<Position>, boolean]>([
    ['exactly twice the reported total', { total: 100, documentsSoFar: 200 }, false],
    ['more than twice the reported total', { total: 100, documentsSoFar: 201 }, true],
    ['documents although the total is zero', { total: 0, documentsSoFar: 1 }, true],
    ['many pages with few documents each', { total: 100_000, page: 99_000, documentsSoFar: 99_000 }, false],
    ['99 repeated pages in a row', { total: 1e6, documentsSoFar: 1e5, repeatedPages: 99 }, false],
    ['100 repeated pages in a row', { total: 1e6, documentsSoFar: 1e5, repeatedPages: 100 }, true],
    ['100 repeated pages in a row without a total', { repeatedPages: 100 }, true],
    ['100 repeated pages in a row of a gigantic total', { total: 1e15, repeatedPages: 100 }, true],
    ['fewer than 50,000 pages without a total', { page: 49_999 }, false],
    ['50,000 pages without a total', { page: 50_000 }, true],
    ['50,000 pages with a malformed total', { page: 50_000, total: 'malformed' }, true],
    ['50,000 pages with a total', { page: 50_000, total: 1e9 }, false],
    ['fewer than 999,000 pages of a gigantic total', { page: 998_999, total: 1e15 }, false],
    ['999,000 pages of a gigantic total', { page: 999_000, total: 1e15 }, true],
  ])('is one that has sent %s: %o %s', (_, change, stops) => {
    expect(runawayReason(positionWith(change)) !== undefined).toBe(stops)
  })
})
