import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backoffMs, parseRetryAfter } from '../../../functions/upstream/retry.ts'

describe('parseRetryAfter', () => {
  const now = Date.parse('1994-11-06T08:49:07Z')

  it.each<[string, string | undefined, number | undefined]>([
    ['seconds', '120', 120_000],
    ['nothing to wait', '0', 0],
    ['leading zeros', '007', 7_000],
    ['white space around it', ' 5\t', 5_000],
    ['more than a number holds', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['a date', 'Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['a date that has passed', 'Sun, 06 Nov 1994 08:49:06 GMT', 0],
    ['now', 'Sun, 06 Nov 1994 08:49:07 GMT', 0],
    ['no header', undefined, undefined],
    ['an empty header', '', undefined],
    ['a negative number', '-5', undefined],
    ['a signed number', '+5', undefined],
    ['a fraction', '1.5', undefined],
    ['an exponent', '1e3', undefined],
    ['a hexadecimal number', '0x10', undefined],
    ['digits of another script', '٣', undefined],
    ['a unit', '5s', undefined],
    ['two values', '5, 5', undefined],
    ['an ISO date', '1994-11-06T08:49:37Z', undefined],
    ['a date without its day', '06 Nov 1994 08:49:37 GMT', undefined],
    ['a day and no date', 'Sun, soon', undefined],
    ['words', 'later', undefined],
  ])('reads %s', (_, value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })

  it('reads any whole number as seconds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (seconds, at) => {
        expect(parseRetryAfter(String(seconds), at)).toBe(seconds * 1000)
      }),
    )
  })

  it('reads any date to the second, and a date in the past as no wait', () => {
    const time = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('2200-01-01') })
    fc.assert(
      fc.property(time, time, (date, at) => {
        const asked = parseRetryAfter(new Date(date).toUTCString(), at)
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
        const asked = parseRetryAfter(text, now)
        expect(asked === undefined || (Number.isSafeInteger(asked) && asked >= 0)).toBe(true)
      }),
    )
  })

  it('counts from the current time by default', () => {
    const soon = new Date(Date.now() + 60_000).toUTCString()
    expect(parseRetryAfter(soon)).toBeGreaterThan(57_000)
    expect(parseRetryAfter(soon)).toBeLessThanOrEqual(60_000)
  })
})

describe('backoffMs', () => {
  const limits = { baseMs: 100, capMs: 1_000 }

  it.each([
    [0, 100],
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 1_000],
    [6, 1_000],
    [5_000, 1_000],
  ])('after %i tries the longest wait is %i ms', (tries, max) => {
    expect(backoffMs(tries, limits, () => 0)).toBe(0)
    expect(backoffMs(tries, limits, () => 0.5)).toBe(max / 2)
    expect(backoffMs(tries, limits, () => 1 - 2 ** -53)).toBe(max)
  })

  it('is proportional to the random number, up to the limit', () => {
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const limit = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(fc.nat(3_000), fc.record({ baseMs: limit, capMs: limit }), fraction, (tries, ...given) => {
        const [{ baseMs, capMs }, part] = given
        const wait = backoffMs(tries, { baseMs, capMs }, () => part)
        const max = Math.min(capMs, baseMs * 2 ** Math.max(0, tries - 1))
        expect(Number.isInteger(wait)).toBe(true)
        expect(Math.abs(wait - part * max)).toBeLessThanOrEqual(0.5)
      }),
    )
  })

  it('is random by default', () => {
    const waits = new Set(
      Array.from({ length: 50 }, () => backoffMs(10, { baseMs: 1_000, capMs: 1_000_000 })),
    )
    expect(waits.size).toBeGreaterThan(40)
    expect(Math.max(...waits)).toBeLessThanOrEqual(512_000)
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

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'is read in UTC in any time zone: %s',
    (date) => {
      expect(parseRetryAfter(date, now)).toBe(30_000)
    },
  )

  it.each([
    'Mon, 1',
    'Mon 5',
    'Mon, 99',
    'Monkey 12',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0200',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Tue, 32 Jan 2027 00:00:00 GMT',
    'Mon, 01 Foo 2027 00:00:00 GMT',
  ])('is undefined if it is malformed: %s', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined()
  })
})
