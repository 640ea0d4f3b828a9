import { expect, it, vi } from 'vitest'
import { ageText, formatAxisTimes, formatBytes, zoneText } from '../../../../console/client/model/format.ts'

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 KB'],
  [1500, '1.5 KB'],
  [10_000, '10 KB'],
  [10_400, '10 KB'],
  [999_000, '999 KB'],
  [1_000_000, '1.0 MB'],
  [25_000_000, '25 MB'],
  [3_000_000_000_000_000, '3000 TB'],
])('formats %i bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

it('computes an age by the server’s clock', () =>
  expect(ageText('2026-11-21T12:00:00.000Z', '2026-11-21T12:05:30.000Z')).toBe('6 min ago'))

it.each([
  ['Asia/Tokyo', 'UTC+09:00, Asia/Tokyo'],
  ['UTC', 'UTC'],
])('names the time zone %s with its offset', (timeZone, text) => {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const spies = [
    vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts').mockReturnValue(parts.formatToParts(0)),
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(parts.resolvedOptions()),
  ]
  expect(zoneText(0)).toBe(text)
  for (const spy of spies) spy.mockRestore()
})

it('labels a single time by the length of the axis', () => {
  const [short] = formatAxisTimes([0], [0, 30])
  const [long] = formatAxisTimes([0], [0, 86_400])
  expect(short).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(long).toMatch(/^[A-Z][a-z]{2} \d+$/)
})
