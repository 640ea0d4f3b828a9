import { expect, it } from 'vitest'
import {
  formatAge,
  formatDocuments,
  formatDuration,
  formatRoughDuration,
  plural,
} from '../../../functions/runtime/format.ts'

it.each([
  [0, '< 1 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [725_000, '12 min 5 s'],
  [7_500_000, '2 h 5 min'],
  [183_600_000, '2 d 3 h'],
  [-5, '< 1 s'],
])('formats a duration of %i ms in its two largest units: %s', (ms, text) =>
  expect(formatDuration(ms)).toBe(text),
)

it('formats a rough duration in its largest unit', () => {
  const texts = [-5, 5_000, 725_000, 7_500_000, 183_600_000].map(formatRoughDuration)
  expect(texts).toEqual(['< 1 s', '5 s', '12 min', '2 h', '2 d'])
})

it('formats the age of a time', () => {
  expect(formatAge('2026-11-21T12:00:00Z', Date.parse('2026-11-21T12:05:30Z'))).toBe('5 min ago')
})

it('uses the singular for one thing and the plural for any other number', () => {
  expect([plural(1, 'page'), plural(1200, 'page'), plural(2, 'entity', 'entities')]).toEqual([
    '1 page',
    '1,200 pages',
    '2 entities',
  ])
  expect([formatDocuments(1), formatDocuments(1200)]).toEqual(['1 document', '1,200 documents'])
})
