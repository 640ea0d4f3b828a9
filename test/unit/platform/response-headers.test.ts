import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  readAgeSeconds,
  readDate,
  readMediaType,
  readRangeTotal,
  readRetryAfterMs,
  readToken,
  totalIn,
} from '../../../functions/platform/response-headers.ts'
import { readTotal } from '../../../functions/publisher/check/proof.ts'

describe('the total of a search in REST-Content-Range', () => {
  it.each<[string, string | string[] | undefined, number | undefined]>([
    ['as the interface writes it', 'resources=0-1/3100', 3100],
    ['with a space, as in the field', 'resources 0-1/3100', 3100],
    ['with white space anywhere', ' \tresources \t 10 - 110 / 42 ', 42],
    ['with another case', 'Resources 0-1/7', 7],
    ['of no documents', 'resources=0-0/0', 0],
    ['of a range without documents', 'resources */0', 0],
    ['repeated by an intermediary', 'resources 0-1/7, resources 0-1/7', 7],
    ['in two headers', ['resources=0-1/7', 'resources=0-1/7'], 7],
    ['repeated without a space', 'resources=0-1/7,resources=0-1/7', 7],
    ['as a number with a fraction of zero', 'resources=0-1/7.0', 7],
    ['with two values', 'resources 0-1/7, resources 0-1/8', undefined],
    ['as a fraction', 'resources=0-1/7.5', undefined],
    ['without a header', undefined, undefined],
    ['empty', '', undefined],
    ['without its unit', '0-1/7', undefined],
    ['without anything between unit and range', 'resources0-1/7', undefined],
    ['of another unit', 'bytes 0-1/7', undefined],
    ['after other text', 'x resources=0-1/7', undefined],
    ['that is not known', 'resources 0-1/*', undefined],
    ['of many digits', 'resources=0-1/1234567890123456', 1234567890123456],
    ['with a unit', 'resources=0-1/7x', undefined],
  ])('is read %s', (_, value, expected) => {
    expect(readRangeTotal({ 'rest-content-range': value })).toBe(expected)
  })

  it('is the same in both forms, for any range and white space', () => {
    const space = fc.stringMatching(/^[ \t]{0,3}$/)
    const separator = fc.constantFrom('=', ' ', '\t', ' = ')
    fc.assert(
      fc.property(fc.nat(), separator, space, (total, between, around) => {
        const value = `${around}resources${between}${around}0-1${around}/${around}${total}${around}`
        expect(readRangeTotal({ 'rest-content-range': value })).toBe(total)
      }),
    )
  })
})

describe('the total of a scroll in REST-Content-Total', () => {
  it.each<[string, string | string[] | undefined, number | string, ofPublisher?: 'malformed']>([
    ['digits', '3100', 3100],
    ['white space around', ' \t3100 ', 3100],
    ['zero', '0', 0],
    ['repeated by an intermediary', '3100, 3100', 3100],
    ['in two headers', ['3100', '3100'], 3100],
    ['a fraction of zero', '25.0', 25],
    ['a longer fraction of zero', ' 25.000 ', 25],
    ['a value repeated without a space', '25,25', 25],
    ['a value repeated three times', '25 ,25.0,\t25', 25, 'malformed'],
    ['a plus sign', '+25', 25, 'malformed'],
    ['a number that is too large to count with', '9223372036854775807', Number.MAX_SAFE_INTEGER, 'malformed'],
    ['two values', '3100, 3101', 'malformed'],
    ['two signs', '++25', 'malformed'],
    ['two values of which one is no number', '25,many', 'malformed'],
    ['a point without a fraction', '25.', 'malformed'],
    ['an exponent', '1e3', 'malformed'],
    ['a range', '25-25', 'malformed'],
    ['no header', undefined, 'not-reported'],
    ['an empty header', '', 'malformed'],
    ['a sign', '-1', 'malformed'],
    ['a fraction', '1.5', 'malformed'],
    ['words', 'many', 'malformed'],
    ['digits with a separator', '3,100', 'malformed'],
  ])('is read from %s, by the publisher too', (_, value, ...[expected, ofPublisher]) => {
    expect(totalIn({ 'rest-content-total': value })).toBe(expected)
    const text = Array.isArray(value) ? value.join(', ') : value
    expect(readTotal(text) ?? 'not-reported').toBe(ofPublisher ?? expected)
  })
})

describe('the token of a scroll', () => {
  it.each<[string, string | string[] | undefined, string | undefined]>([
    ['as it is', 'a+b/c=,d', 'a+b/c=,d'],
    ['without white space around', '\tabc ', 'abc'],
    ['once if an intermediary repeated it', 'abc, abc', 'abc'],
    ['once from two headers', ['abc', 'abc'], 'abc'],
    ['as it is if it contains a list', 'a, b', 'a, b'],
    ['as none if there is no header', undefined, undefined],
    ['as none if it is empty', ' ', undefined],
  ])('is read %s', (_, value, expected) => {
    expect(readToken({ 'x-svc-md-token': value }, 'x-svc-md-token')).toBe(expected)
  })
})

describe('the media type of a body', () => {
  it.each([
    ['application/json', 'application/json'],
    ['Application/JSON; charset="utf-8"', 'application/json'],
    [' text/html ; a=b; c=d', 'text/html'],
    ['', ''],
    [undefined, ''],
  ])('of %s is %s', (value, expected) => {
    expect(readMediaType({ 'content-type': value })).toBe(expected)
  })
})

describe('Retry-After', () => {
  const now = Date.parse('1994-11-06T08:49:07Z')
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'

  it.each<[string, string | undefined, number | undefined, at?: string]>([
    ['seconds', '120', 120_000],
    ['the most seconds', '1000000000', 1e12],
    ['seconds since 1970', '1790000003', 3_000, '1790000000000'],
    ['seconds since 1970 with a fraction', '1790000003.25', 3_250, '1790000000000'],
    ['milliseconds since 1970', '1790000003500', 3_500, '1790000000000'],
    ['seconds since 1970 that have passed', '1789999999', 0, '1790000000000'],
    ['milliseconds since 1970 that have passed', '1789999999999', 0, '1790000000000'],
    ['the later of seconds and a time since 1970', '2, 1790000003', 3_000, '1790000000000'],
    ['nothing to wait', '0', 0],
    ['white space around it', ' 5\t', 5_000],
    ['more than a number can represent', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['a date', 'Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['a date that has passed', 'Sun, 06 Nov 1994 08:49:06 GMT', 0],
    ['now', 'Sun, 06 Nov 1994 08:49:07 GMT', 0],
    ['no header', undefined, undefined],
    ['an empty header', '', undefined],
    ['a negative number', '-5', 0],
    ['the longer of a negative and a positive number', '-1, 5', 5_000],
    ['microseconds since 1970', '1790000003500000', 3_500, '1790000000000'],
    ['a time since 1970 with its unit', '1790000003 s', 3_000, '1790000000000'],
    ['a signed number', '+5', undefined],
    ['a fraction, rounded up', '6.5', 7_000],
    ['a point without a fraction', '2.', undefined],
    ['an exponent', '1e3', undefined],
    ['digits of another script', '٣', undefined],
    ['a unit', '5s', 5_000],
    ['a unit in words', '5.5 Seconds', 6_000],
    ['another unit', '5 minutes', undefined],
    ['a value that an intermediary repeated', '5, 5', 5_000],
    ['the longer of two values', '5,6', 6_000],
    ['a date that an intermediary repeated', `${date}, ${date}`, 30_000],
    ['the later of seconds and a date', `5, ${date}`, 30_000],
    ['a value of which one part is malformed', '5, soon', undefined],
    ['an ISO date', '1994-11-06T08:49:37Z', 30_000],
    ['an ISO date of another zone', '1994-11-06T10:49:37.500+02:00', 30_500],
    ['an ISO date without its zone', '1994-11-06T08:49:37', undefined],
    ['a date without its day', '06 Nov 1994 08:49:37 GMT', 30_000],
    ['a date of another zone', 'sun, 06 nov 1994 10:49:37 +0200', 30_000],
    ['an ISO date with a space', '1994-11-06 08:49:37 +0000', 30_000],
  ])('reads %s', (...[, value, expected, at]) => {
    expect(readRetryAfterMs({ 'retry-after': value }, Number(at ?? now))).toBe(expected)
  })

  it.each([
    [date, 'Sun, 06 Nov 1994 08:49:30 GMT', 7_000],
    [date, 'Sun, 06 Nov 1994 08:49:38 +0000', 0],
    [date, 'soon', 30_000],
    ['1790000060', new Date(1_790_000_000_000).toUTCString(), 60_000],
    ['1790000060000', new Date(1_790_000_000_000).toUTCString(), 60_000],
    ['60', 'Sun, 06 Nov 1994 08:49:30 GMT', 60_000],
  ])('counts %s from the Date of the response, where it has one: %s', (value, sent, expected) => {
    expect(readRetryAfterMs({ 'retry-after': value, date: sent }, now)).toBe(expected)
  })

  it('reads any whole number as seconds', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(), (seconds, at) => {
        expect(readRetryAfterMs({ 'retry-after': String(seconds) }, at)).toBe(seconds * 1000)
      }),
    )
  })

  it('reads any date to the second, and a date in the past as no wait', () => {
    const time = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('2200-01-01') })
    fc.assert(
      fc.property(time, time, (date, at) => {
        const asked = readRetryAfterMs({ 'retry-after': new Date(date).toUTCString() }, at)
        const inSeconds = Math.floor(date / 1000) * 1000
        expect(asked).toBe(Math.max(0, inSeconds - at))
      }),
    )
  })

  it('returns undefined or a wait that a timer can take, for any text', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string().map((text) => `Mon, ${text}`),
      fc.stringMatching(/^[0-9+.e-]{1,12}$/),
    )
    fc.assert(
      fc.property(value, (text) => {
        const asked = readRetryAfterMs({ 'retry-after': text }, now)
        expect(asked === undefined || (Number.isSafeInteger(asked) && asked >= 0)).toBe(true)
      }),
    )
  })
})

describe('an HTTP date in Retry-After', () => {
  const now = Date.parse('1994-11-06T08:49:07Z')
  const zone = process.env['TZ']
  beforeEach(() => {
    process.env['TZ'] = 'America/New_York'
  })
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Sun Nov  6 08:49:37 1994 GMT',
    'Sun Nov 16 08:49:37 1994',
  ])('is read in UTC in any time zone: %s', (date) => {
    const expected = 30_000 + (date.includes('16') ? 10 * 86_400_000 : 0)
    expect(readRetryAfterMs({ 'retry-after': date }, now)).toBe(expected)
    expect(readDate({ date })).toBe(now + expected)
    expect(readDate({ date: `${date}, ${date}` })).toBe(now + expected)
  })

  it.each([
    'Mon, 1',
    'Monkey 12',
    'Sun, 06 Nov 1994 08:49:37',
    'Tue, 32 Jan 2027 00:00:00 GMT',
    'Mon, 01 Foo 2027 00:00:00 GMT',
  ])('is undefined if it is malformed: %s', (value) => {
    expect(readRetryAfterMs({ 'retry-after': value }, now)).toBeUndefined()
  })
})

describe('the age of a response', () => {
  it.each<[string, string | string[] | undefined, number]>([
    ['seconds', '3600', 3600],
    ['seconds with a fraction', '61.5', 61.5],
    ['white space around', ' 61\t', 61],
    ['the larger of two values', '0, 3600', 3600],
    ['two headers', ['3600', '0'], 3600],
    ['more than a number can represent', '9'.repeat(400), Infinity],
    ['no header', undefined, 0],
    ['an empty header', '', 0],
    ['a negative number', '-5', 0],
    ['words', 'old', 0],
  ])('is read from %s', (_, age, expected) => {
    expect(readAgeSeconds({ age })).toBe(expected)
  })
})
