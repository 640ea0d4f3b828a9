import { describe, expect, it } from 'vitest'
import { hasDate } from '../../../functions/chain/has-date.ts'

const by = 'createdIn'

describe('a document', () => {
  it.each([
    '"2024-01-31"',
    '"2024-02-29T00:00"',
    '"2024-01-31T23:59:59Z"',
    '"2024-01-31T23:59:59.1234567Z"',
    '"2024-01-31T23:59:59+02:00"',
    '"2024-01-31T23:59:59.5-0300"',
    '"\\u0032024-01-31T23:59:59Z"',
  ])('has a date if the field is %s', (value) => {
    expect(hasDate(Buffer.from(`{"id":"1","createdIn":${value},"z":0}`), by)).toBe(true)
  })

  it.each([
    'null',
    '""',
    '" "',
    '"soon"',
    '12',
    '20240131',
    'true',
    '["2024-01-31"]',
    '{"createdIn":"2024-01-31"}',
    '"2024"',
    '"2024-01"',
    '"2024-01-31T"',
    '"2024-01-31T05"',
    '"2024-01-31T05h"',
    '"2024-01-31 05:00:00"',
    '"2024-13-01"',
    '"2024-13-45T99:00:00Z"',
    '"2024-02-30T00:00:00Z"',
    '"2023-02-29"',
    '"2024-01-31T25:00:00Z"',
    '" 2024-01-31"',
    '"2024-01-31\\n"',
    '"Wed, 31 Jan 2024 00:00:00 GMT"',
  ])('has no date if the field is %s', (value) => {
    expect(hasDate(Buffer.from(`{"id":"1","createdIn":${value}}`), by)).toBe(false)
  })

  it.each([
    ['{"id":"1"}', false],
    ['{"CreatedIn":"2024-01-31"}', false],
    ['{"in":{"createdIn":"2024-01-31"},"id":"1"}', false],
    ['{"createdIn":"2024-01-31","createdIn":null}', false],
    ['{"createdIn":null,"created\\u0049n":"2024-01-31"}', true],
    ['{ "createdIn" : "2024-01-31" }', true],
  ])('%s has a date: %s', (document, expected) => {
    expect(hasDate(Buffer.from(document), by)).toBe(expected)
  })

  it('has no date if the entity was scrolled as a whole', () => {
    expect(hasDate(Buffer.from('{"id":"1","createdIn":"2024-01-31"}'), undefined)).toBe(false)
  })
})
