import { describe, expect, it } from 'vitest'
import * as publisher from '../../../../functions/publisher/check/set/dates.ts'
import { datesOf, hasDate, versionDate } from '../../../../stored/chain/document-dates.ts'

const utc = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) * 1000

describe('the dates of documents', () => {
  it.each([
    [
      '{"id":1,"createdIn":"2026-03-01","updatedIn":"2026-03-02"}',
      { createdIn: utc(2026, 2, 1), updatedIn: utc(2026, 2, 2) },
    ],
    ['{"createdIn":"2026-03-01","updatedIn":null}', { createdIn: utc(2026, 2, 1) }],
    ['{"updatedIn":7,"nested":{"createdIn":"2026-03-01"}}', {}],
    ['{}', {}],
    ['{"createdIn":"2026-03-01 10:20:30.123456789"}', { createdIn: utc(2026, 2, 1, 10, 20, 30) + 123_456 }],
    ['{"createdIn":" 2026-03-01","updatedIn":"2026-03-01Z"}', {}],
  ])('are read from %s', (document, dates) => {
    expect(datesOf(Buffer.from(document))).toEqual({ createdIn: undefined, updatedIn: undefined, ...dates })
  })

  it('of a version is that of its last update, or else of its creation', () => {
    expect(versionDate({ createdIn: 1, updatedIn: 2 })).toBe(2)
    expect(versionDate({ createdIn: 1, updatedIn: undefined })).toBe(1)
    expect(versionDate({ createdIn: undefined, updatedIn: undefined })).toBeUndefined()
  })
})

const by = 'createdIn'

/** As the comparison and the publisher decide. */
const areDated = (document: string) => [
  hasDate(Buffer.from(document), by),
  publisher.isOrdered(JSON.parse(document), by),
]

describe('a document of an entity that was scrolled by ranges', () => {
  it.each(['"2024-01-31"', '"2024-01-31T23:59:59.5-0300"', '"\\u0032024-01-31T23:59:59Z"'])(
    'has a date if the field is %s',
    (value) => expect(areDated(`{"id":"1","createdIn":${value},"z":0}`)).toEqual([true, true]),
  )

  it.each([
    ...'null "" "soon" 12 20240131 true ["2024-01-31"] {"createdIn":"2024-01-31"}'.split(' '),
    ...'"2024-01-31T05" "2024-01-31t05:00:00" "2024-02-30T00:00:00Z"'.split(' '),
    '"2024-01-31 05:00:00"',
  ])('has no date if the field is %s', (value) => {
    expect(areDated(`{"id":"1","createdIn":${value}}`)).toEqual([false, false])
  })

  it.each([
    ['{"id":"1"}', false],
    ['{"CreatedIn":"2024-01-31"}', false],
    ['{"in":{"createdIn":"2024-01-31"},"id":"1"}', false],
    ['{"createdIn":"2024-01-31","createdIn":null}', false],
    ['{"createdIn":null,"created\\u0049n":"2024-01-31"}', true],
    ['{ "createdIn" : "2024-01-31" }', true],
  ])('%s has a date: %s', (document, expected) => expect(areDated(document)).toEqual([expected, expected]))

  it('has no date if the entity was scrolled as a whole', () => {
    const document = '{"createdIn":"2024-01-31","undefined":"2024-01-31"}'
    expect(hasDate(Buffer.from(document), undefined)).toBe(false)
    expect(publisher.isOrdered(JSON.parse(document), undefined)).toBe(false)
  })
})
