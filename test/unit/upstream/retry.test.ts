import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { backoffMs, parseRetryAfter } from '../../../functions/upstream/retry.ts'

describe('how long Retry-After asks for', () => {
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
  ])('%s', (_, value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })

  it('takes any whole number for seconds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (seconds, at) => {
        expect(parseRetryAfter(String(seconds), at)).toBe(seconds * 1000)
      }),
    )
  })

  it('waits until any date that is to come, to the second, and never before now', () => {
    const time = fc.integer({ min: Date.parse('1970-01-01'), max: Date.parse('2200-01-01') })
    fc.assert(
      fc.property(time, time, (date, at) => {
        const asked = parseRetryAfter(new Date(date).toUTCString(), at)
        const inSeconds = Math.floor(date / 1000) * 1000
        expect(asked).toBe(Math.max(0, inSeconds - at))
      }),
    )
  })

  it('gives no answer or one that can be waited for, whatever it is given', () => {
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

  it('counts from the clock when it is given no time', () => {
    const soon = new Date(Date.now() + 60_000).toUTCString()
    expect(parseRetryAfter(soon)).toBeGreaterThan(57_000)
    expect(parseRetryAfter(soon)).toBeLessThanOrEqual(60_000)
  })
})

describe('how long to wait before another try', () => {
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
  ])('after %i tries anything up to %i ms', (tries, most) => {
    expect(backoffMs(tries, limits, () => 0)).toBe(0)
    expect(backoffMs(tries, limits, () => 0.5)).toBe(most / 2)
    expect(backoffMs(tries, limits, () => 1 - 2 ** -53)).toBe(most)
  })

  it('stays within its bounds, and nearer to the bound the greater the chance', () => {
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const limit = fc.integer({ min: 1, max: 100_000 })
    fc.assert(
      fc.property(fc.nat(3_000), fc.record({ baseMs: limit, capMs: limit }), fraction, (tries, ...given) => {
        const [{ baseMs, capMs }, part] = given
        const wait = backoffMs(tries, { baseMs, capMs }, () => part)
        const most = Math.min(capMs, baseMs * 2 ** Math.max(0, tries - 1))
        expect(Number.isInteger(wait)).toBe(true)
        expect(Math.abs(wait - part * most)).toBeLessThanOrEqual(0.5)
      }),
    )
  })

  it('is random when nobody says otherwise', () => {
    const waits = new Set(
      Array.from({ length: 50 }, () => backoffMs(10, { baseMs: 1_000, capMs: 1_000_000 })),
    )
    expect(waits.size).toBeGreaterThan(40)
    expect(Math.max(...waits)).toBeLessThanOrEqual(512_000)
  })
})

describe('a date is read as RFC 9110 writes it, and in UTC', () => {
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
    '%s, wherever the program runs',
    (date) => {
      expect(parseRetryAfter(date, now)).toBe(30_000)
    },
  )

  it('whose two digits for the year are never more than 50 years ahead', () => {
    const at2026 = Date.parse('2026-11-21T00:00:00Z')
    expect(parseRetryAfter('Monday, 23-Nov-26 00:00:00 GMT', at2026)).toBe(2 * 86_400_000)
    expect(parseRetryAfter('Saturday, 01-Jan-50 00:00:00 GMT', at2026)).toBeGreaterThan(0)
    expect(parseRetryAfter('Sunday, 06-Nov-94 08:49:37 GMT', at2026)).toBe(0)
    expect(parseRetryAfter('Friday, 01-Jan-99 00:00:00 GMT', at2026)).toBe(0)
  })

  it.each([
    'Mon, 1',
    'Mon 5',
    'Mon, 99',
    'Monkey 12',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0200',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Tue, 31 Feb 2027 00:00:00 GMT',
    'Mon, 01 Foo 2027 00:00:00 GMT',
  ])('%s is none', (value) => {
    expect(parseRetryAfter(value, now)).toBeUndefined()
  })
})
