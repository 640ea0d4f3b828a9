import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextRun } from '../../../functions/runtime/next-run.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const iso = (time: number | undefined) => time && new Date(time).toISOString().replace(':00.000Z', 'Z')

describe('the next run of a rate', () => {
  const startsAt = Date.parse('2026-03-04T10:20:30Z')
  const next = (now: number, expression = 'rate(6 hours)') =>
    nextRun({ expression, timezone: 'UTC', startsAt }, now)

  test.each([
    ['at the start of the schedule', startsAt - 1, startsAt],
    ['one interval after the start', startsAt, startsAt + 6 * hourMs],
    ['at the end of the interval in progress', startsAt + 100 * hourMs, startsAt + 102 * hourMs],
  ])('is %s', (_, now, expected) => expect(next(now)).toBe(expected))

  test('is at most an interval away, and a whole number of intervals after the start', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e11 }), fc.integer({ min: 1, max: 90 }), (sinceStart, days) => {
        const now = startsAt + sinceStart
        const time = next(now, days === 1 ? 'rate(1 day)' : `rate(${days} days)`) ?? 0
        expect(time).toBeGreaterThan(now)
        expect(time - now).toBeLessThanOrEqual(days * 24 * hourMs)
        expect((time - startsAt) % (days * 24 * hourMs)).toBe(0)
      }),
    )
  })
})

describe('the next run of a cron expression', () => {
  /** A Wednesday. */
  const from = Date.parse('2026-03-04T10:20:30Z')
  const next = (expression: string, timezone = 'UTC', now = from) =>
    iso(nextRun({ expression, timezone, startsAt: 0 }, now))

  test.each([
    ['cron(* * * * ? *)', '2026-03-04T10:21Z'],
    ['cron(0 6 * * ? *)', '2026-03-05T06:00Z'],
    ['cron(20 10 * * ? *)', '2026-03-05T10:20Z'],
    ['cron(0/15 * * * ? *)', '2026-03-04T10:30Z'],
    ['cron(0 9 ? * MON-FRI *)', '2026-03-05T09:00Z'],
    ['cron(0 9 ? * SUN,SAT *)', '2026-03-07T09:00Z'],
    ['cron(0 9 ? * L *)', '2026-03-07T09:00Z'],
    ['cron(0 9 ? * FRIL *)', '2026-03-27T09:00Z'],
    ['cron(0 9 ? * 6#2 *)', '2026-03-13T09:00Z'],
    ['cron(0 9 L * ? *)', '2026-03-31T09:00Z'],
    ['cron(0 9 L-2 * ? *)', '2026-03-29T09:00Z'],
    ['cron(0 9 LW * ? *)', '2026-03-31T09:00Z'],
    ['cron(0 9 15W * ? *)', '2026-03-16T09:00Z'],
    ['cron(0 9 31 * ? *)', '2026-03-31T09:00Z'],
    ['cron(0 0 29 2 ? *)', '2028-02-29T00:00Z'],
    ['cron(0 0 1 JAN ? 2030)', '2030-01-01T00:00Z'],
    ['cron(0 0 1 JAN ? 2025)', undefined],
  ])('for %s is %s', (expression, expected) => expect(next(expression)).toBe(expected))

  test.each([
    ['Europe/Lisbon', '2026-07-01T00:00:00Z', '2026-07-01T05:00Z'],
    ['Asia/Kolkata', '2026-07-01T01:00:00Z', '2026-07-02T00:30Z'],
    ['America/Los_Angeles', '2026-07-01T00:00:00Z', '2026-07-01T13:00Z'],
    ['Pacific/Kiritimati', '2026-07-01T17:00:00Z', '2026-07-02T16:00Z'],
  ])('is at local time in %s', (timezone, now, expected) => {
    expect(next('cron(0 6 * * ? *)', timezone, Date.parse(now))).toBe(expected)
  })

  test('skips a time that does not exist when clocks go forward', () => {
    const now = Date.parse('2026-03-28T12:00:00Z')
    expect(next('cron(30 2 * * ? *)', 'Europe/Berlin', now)).toBe('2026-03-30T00:30Z')
  })

  test('is the first of two equal times when clocks go back, and not the second', () => {
    const berlin = (now: string) => next('cron(30 2 * * ? *)', 'Europe/Berlin', Date.parse(now))
    expect(berlin('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30Z')
    expect(berlin('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30Z')
  })

  test('is not before the start of the schedule', () => {
    const startsAt = Date.parse('2026-04-01T00:00:00Z')
    const time = nextRun({ expression: 'cron(0 6 * * ? *)', timezone: 'UTC', startsAt }, from)
    expect(iso(time)).toBe('2026-04-01T06:00Z')
  })

  test('is the first minute whose local time matches, in every time zone', () => {
    const situation = fc.record({
      timeZone: fc.constantFrom(
        'UTC',
        'Europe/Berlin',
        'America/St_Johns',
        'Australia/Lord_Howe',
        'Asia/Kathmandu',
      ),
      now: fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
      hours: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 4 }),
      minute: fc.integer({ min: 0, max: 59 }),
    })
    fc.assert(
      fc.property(situation, ({ timeZone, now, hours, minute }) => {
        const expression = `cron(${minute} ${hours.join(',')} * * ? *)`
        const time = nextRun({ expression, timezone: timeZone, startsAt: 0 }, now)
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
        const matches = (instant: number) => {
          const [hour = '', shown = ''] = clock.format(instant).split(':')
          return hours.includes(Number(hour)) && Number(shown) === minute
        }
        // A repeated local time runs only the first time.
        const isRepeated = (instant: number) =>
          [30, 60].some((minutes) => clock.format(instant - minutes * minuteMs) === clock.format(instant))
        let expected = Math.floor(now / minuteMs) * minuteMs + minuteMs
        while (!matches(expected) || isRepeated(expected)) expected += minuteMs
        expect(iso(time)).toBe(iso(expected))
      }),
      { numRuns: 60 },
    )
  })
})
