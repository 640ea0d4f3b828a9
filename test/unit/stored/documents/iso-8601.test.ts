import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dateIn } from '../../../../functions/publisher/check/set/dates.ts'
import { epochMicroseconds } from '../../../../stored/documents/iso-8601.ts'

const utc = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) * 1000
const ten = utc(2026, 0, 1, 10)
/** Both readers of dates: that of the worker and comparisons, and that of the publisher. */
const read = (text: string) => [epochMicroseconds(text), dateIn({ text }, 'text')]
const none = [undefined, undefined]

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
    ['2026-01-01T23:00+23', utc(2026, 0, 1)],
    ['2025-12-31T23:00-02', utc(2026, 0, 1, 1)],
    ['2024-02-29', utc(2024, 1, 29)],
    ['0001-01-01T00:00Z', Date.parse('0001-01-01') * 1000],
    ['9999-12-31T23:59:59Z', Date.parse('9999-12-31T23:59:59Z') * 1000],
  ])('%j is read', (text, time) => expect(read(text)).toEqual([time, time]))

  it.each([
    ...'yesterday 2026 2026-01 20260101 2026-1-1 2026-01-01T 2026-01-01T10 2026-01-01T1000'.split(' '),
    ...'2026-01-01_10:00 2026-01-01Z 2026-01-01+01:00 2026-01-01T10:00:00.'.split(' '),
    ...'2026-01-01T10:00:00.1234567890 2026-01-01T10:00.5 2026-01-01T10:00+1'.split(' '),
    ...'2026-01-01T10:00+24:00 2026-01-01T10:00+01:60 2026-01-01T24:00 2026-01-01T10:60'.split(' '),
    ...'2026-01-01T10:00:60 2026-02-30 2023-02-29 2026-13-01 0001-31-31 0000-12-31'.split(' '),
    ...'0001-01-01T00:00+01 9999-12-31T23:59-01 10000-01-01'.split(' '),
    '',
    '2026-01-01  10:00',
    '2026-01-01T10:00 Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
  ])('is not read from %j', (text) => expect(read(text)).toEqual(none))

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
        const microseconds = time * 1000 + Math.floor(nanoseconds / 1000)
        expect(read(text)).toEqual([microseconds, microseconds])
      }),
    )
  })

  it('is the same for both readers, also if it is none', () => {
    const form =
      /^(0000|0001|2024|9999)-\d\d-\d\d([Tt x]?(00|23|24|7):\d\d(:(00|59|60|7|07[.,]\d{0,10}))?( ?Z|z|[+-]\d{1,2}(:?\d\d)?)?)?[\s\u00a0]?$/
    fc.assert(
      fc.property(fc.stringMatching(form), (text) => {
        const [one, other] = read(text)
        expect(one).toBe(other)
      }),
    )
  })
})
