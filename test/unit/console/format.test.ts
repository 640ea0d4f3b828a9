import { expect, it } from 'vitest'
import {
  formatBytes,
  formatDuration,
  formatRough,
  pagesPerSecond,
  plural,
} from '../../../console/page/model/format.ts'

it.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [725_000, '12 min 5 s'],
  [7_500_000, '2 h 5 min'],
  [183_600_000, '2 d 3 h'],
  [-5, '0 s'],
])('%i ms are shown as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

it('rough durations have one unit', () => expect(formatRough(183_600_000)).toBe('2 d'))

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1500, '1.5 KB'],
  [25_000_000, '25 MB'],
  [3_000_000_000_000_000, '3000 TB'],
])('%i bytes are shown as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

it('pages a second follow from documents a second', () => {
  expect(pagesPerSecond({ documents: 5000, pages: 5, documentsPerSecond: 2500 })).toBe(2.5)
  expect(pagesPerSecond({ documents: 0, pages: 0, documentsPerSecond: null })).toBeNull()
})

it('counts one thing and several', () => {
  expect([plural(1, 'page'), plural(1200, 'page'), plural(2, 'entity', 'entities')]).toEqual([
    '1 page',
    '1,200 pages',
    '2 entities',
  ])
})
