import { expect, it } from 'vitest'
import { pageTimesOf } from '../../../functions/story/page-times.ts'

const start = Date.parse('2026-11-21T12:00:00.000Z')
const iso = (seconds: number) => new Date(start + seconds * 1000).toISOString()
const position = (kind: 'page' | 'end', openedAt: number, respondedAt: number) =>
  ({
    kind,
    page: 3,
    documentsSoFar: 30,
    openedAt: start + openedAt * 1000,
    respondedAt: start + respondedAt * 1000,
  }) as never

it.each([
  [[undefined], undefined],
  [[{ kind: 'start', page: 0, openedAt: 0, respondedAt: 0 } as never], undefined],
  [[position('page', 0, 9)], { firstAt: iso(0), lastAt: iso(9), hasScrolled: false }],
  [[position('end', 3, 5), position('end', 1, 4)], { firstAt: iso(1), lastAt: iso(5), hasScrolled: true }],
  [[position('end', 0, 5), position('page', 0, 6)], { firstAt: iso(0), lastAt: iso(6), hasScrolled: false }],
])('the times of pages span the responses of all ranges: %j', (positions, expected) => {
  const { count: _, ...times } = pageTimesOf(positions) ?? {}
  expect(times).toEqual(expected ?? {})
})
