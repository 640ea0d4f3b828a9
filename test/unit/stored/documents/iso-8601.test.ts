import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMicroseconds } from '../../../../stored/documents/iso-8601.ts'

const utc = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) * 1000
const ten = utc(2026, 0, 1, 10)

describe('a date', () => {
  it.each([
    ['2026-01-01', utc(2026, 0, 1)],
    ['2026-01-01T10:00', ten],
    ['2026-01-01t10:00', ten],
    ['2026-01-01 10:00', ten],
    ['2026-01-01 10:00:00', ten],
    ['2026-01-01T10:00:00Z', ten],
    ['2026-01-01T10:00:00z', ten],
    ['2026-01-01T10:00:00.1Z', ten + 100_000],
    ['2026-01-01T10:00:00,1Z', ten + 100_000],
    ['2026-01-01T10:00:00.123456789Z', ten + 123_456],
    ['2026-01-01T10:00:00.999999999', ten + 999_999],
    ['2026-01-01T10:00+02', utc(2026, 0, 1, 8)],
    ['2026-01-01T10:00+0230', utc(2026, 0, 1, 7, 30)],
    ['2026-01-01T10:00-02:30', utc(2026, 0, 1, 12, 30)],
    ['2025-12-31T23:00-02', utc(2026, 0, 1, 1)],
    ['2024-02-29', utc(2024, 1, 29)],
    ['0001-01-01T00:00Z', Date.parse('0001-01-01') * 1000],
  ])('%j is read', (text, time) => expect(epochMicroseconds(text)).toBe(time))

  it.each([
    ...'yesterday 2026 2026-01 20260101 2026-1-1 2026-01-01T 2026-01-01T10 2026-01-01T1000'.split(' '),
    ...'2026-01-01_10:00 2026-01-01Z 2026-01-01+01:00 2026-01-01T10:00:00.'.split(' '),
    ...'2026-01-01T10:00:00.1234567890 2026-01-01T10:00.5 2026-01-01T10:00+1'.split(' '),
    ...'2026-01-01T10:00+24:00 2026-01-01T10:00+01:60 2026-01-01T24:00 2026-01-01T10:60'.split(' '),
    ...'2026-01-01T10:00:60 2026-02-30 2023-02-29 2026-13-01 0000-12-31 0001-01-01T00:00+01'.split(' '),
    ...'9999-12-31T23:59-01 10000-01-01'.split(' '),
    '',
    '2026-01-01  10:00',
    '2026-01-01T10:00 Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
  ])('is not read from %j', (text) => expect(epochMicroseconds(text)).toBe(undefined))

  it('is the same time in every form that it can be written in', () => {
    const times = fc.integer({ min: Date.parse('1700-01-01'), max: Date.parse('2254-12-30') })
    const minutes = fc.integer({ min: 1 - 24 * 60, max: 24 * 60 - 1 })
    const form = fc.record({ separator: fc.constantFrom('T', 't', ' '), point: fc.constantFrom('.', ',') })
    const moments = fc.record({ time: times, nanoseconds: fc.nat(999_999) })
    fc.assert(
      fc.property(moments, minutes, form, ({ time, nanoseconds }, offset, { separator, point }) => {
        const [date, clock] = new Date(time + offset * 60_000).toISOString().slice(0, -1).split('T')
        const two = (part: number) => String(part).padStart(2, '0')
        const size = Math.abs(offset)
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
        const fraction = String(nanoseconds).padStart(6, '0')
        const text = `${date}${separator}${clock?.replace('.', point)}${fraction}${zone}`
        expect(epochMicroseconds(text)).toBe(time * 1000 + Math.floor(nanoseconds / 1000))
      }),
    )
  })

  it('is read from no text with white space around it', () => {
    const spaces = fc.constantFrom(' ', '\t', '\n', '\u00a0')
    fc.assert(
      fc.property(spaces, fc.boolean(), (space, isBefore) => {
        const text = '2026-01-01T10:00Z'
        expect(epochMicroseconds(isBefore ? space + text : text + space)).toBe(undefined)
      }),
    )
  })
})
