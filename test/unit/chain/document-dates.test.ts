import { describe, expect, it } from 'vitest'
import { datesOf, parseDate, versionDate } from '../../../functions/chain/document-dates.ts'

const utc = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) * 1000

describe('the dates of documents', () => {
  it.each([
    ['2026-03-01T10:20:30.1234567Z', utc(2026, 2, 1, 10, 20, 30) + 123_456],
    ['2026-03-01T10:20:30Z', utc(2026, 2, 1, 10, 20, 30)],
    ['2026-03-01T10:20:30', utc(2026, 2, 1, 10, 20, 30)],
    ['2026-03-01 10:20', utc(2026, 2, 1, 10, 20)],
    ['2026-03-01', utc(2026, 2, 1)],
    ['2026-03-01T10:20:30.5+02:00', utc(2026, 2, 1, 8, 20, 30) + 500_000],
    ['2026-03-01T10:20:30-0300', utc(2026, 2, 1, 13, 20, 30)],
    ['2026-02-30T10:20:30Z', undefined],
    ['2026-13-45T99:00:00Z', undefined],
    ['2026-03-01T99:00:00Z', undefined],
    ['yesterday', undefined],
    ['', undefined],
  ])('%s', (text, time) => {
    expect(parseDate(text)).toBe(time)
  })

  it.each([
    [
      '{"id":1,"createdIn":"2026-03-01","updatedIn":"2026-03-02"}',
      { createdIn: utc(2026, 2, 1), updatedIn: utc(2026, 2, 2) },
    ],
    ['{"createdIn":"2026-03-01","updatedIn":null}', { createdIn: utc(2026, 2, 1) }],
    ['{"updatedIn":7,"nested":{"createdIn":"2026-03-01"}}', {}],
    ['{}', {}],
  ])('are read from %s', (document, dates) => {
    expect(datesOf(Buffer.from(document))).toEqual({ createdIn: undefined, updatedIn: undefined, ...dates })
  })

  it('of a version is that of its last update, or else of its creation', () => {
    expect(versionDate({ createdIn: 1, updatedIn: 2 })).toBe(2)
    expect(versionDate({ createdIn: 1, updatedIn: undefined })).toBe(1)
    expect(versionDate({ createdIn: undefined, updatedIn: undefined })).toBeUndefined()
  })
})
