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

it.each([
  [-5, '< 1 s'],
  [5_000, '5 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [1_770_000, '30 min'],
  [7_140_000, '119 min'],
  [7_200_000, '2 h'],
  [28_790_000, '8 h'],
  [169_200_000, '47 h'],
  [183_600_000, '2 d'],
])('rounds a rough duration of %i ms in the largest unit of which there are two: %s', (ms, text) =>
  expect(formatRoughDuration(ms)).toBe(text),
)

it('formats the age of a time', () => {
  expect(formatAge('2026-11-21T12:00:00Z', Date.parse('2026-11-21T12:05:30Z'))).toBe('6 min ago')
})

it('uses the singular for one thing and the plural for any other number', () => {
  expect([plural(1, 'page'), plural(1200, 'page'), plural(2, 'entity', 'entities')]).toEqual([
    '1 page',
    '1,200 pages',
    '2 entities',
  ])
  expect([formatDocuments(1), formatDocuments(1200)]).toEqual(['1 document', '1,200 documents'])
})
