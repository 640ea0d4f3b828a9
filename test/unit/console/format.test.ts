import { expect, it } from 'vitest'
import { formatBytes, pagesPerSecond } from '../../../console/page/model/format.ts'

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1500, '1.5 KB'],
  [25_000_000, '25 MB'],
  [3_000_000_000_000_000, '3000 TB'],
])('formats %i bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

it('derives pages per second from documents per second', () => {
  expect(pagesPerSecond({ documents: 5000, pages: 5, documentsPerSecond: 2500 })).toBe(2.5)
  expect(pagesPerSecond({ documents: 0, pages: 0, documentsPerSecond: null })).toBeNull()
})
