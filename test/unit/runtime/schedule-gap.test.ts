import { describe, expect, test } from 'vitest'
import { hasPassed, maxAgeSeconds } from '../../../functions/runtime/schedule-gap.ts'

const hour = 3600
const day = 24 * hour
/** A Wednesday. */
const from = Date.parse('2026-03-04T10:20:00Z')

describe('the longest time between two runs', () => {
  test.each([
    ['rate(1 minute)', 60],
    ['rate(6 hours)', 6 * hour],
    ['rate(30 days)', 30 * day],
    ['cron(* * * * ? *)', 60],
    ['cron(0/15 * * * ? *)', 900],
    ['cron(0/7 * * * ? *)', 420],
    ['cron(30 3 * * ? *)', day],
    ['cron(0 */6 * * ? *)', 6 * hour],
    // From 18:00 to 6:00.
    ['cron(0 6-18 * * ? *)', 12 * hour],
    ['cron(0 9,17 ? * MON-FRI *)', 2 * day + 16 * hour],
    ['cron(0 9 ? * MON-FRI *)', 3 * day],
    ['cron(0 9 ? * 2-6 *)', 3 * day],
    ['cron(0 9 ? * FRI-MON *)', 4 * day],
    ['cron(0 9 ? * SAT,SUN *)', 6 * day],
    ['cron(0 9 ? * L *)', 7 * day],
    ['cron(0 0 1 * ? *)', 31 * day],
    ['cron(0 0 L * ? *)', 31 * day],
    ['cron(0 0 L-1 * ? *)', 31 * day],
    // From 31 March to 31 May.
    ['cron(0 0 31 * ? *)', 61 * day],
    ['cron(0 0 1W * ? *)', 33 * day],
    ['cron(0 0 LW * ? *)', 33 * day],
    ['cron(0 0 ? * 6#2 *)', 35 * day],
    ['cron(0 0 ? * FRI#5 *)', 119 * day],
    ['cron(0 0 ? * FRIL *)', 35 * day],
    ['cron(0 0 1 JAN,JUL ? *)', 184 * day],
    ['cron(0 0 1 1 ? *)', 366 * day],
    ['cron(0 0 29 2 ? *)', 4 * 365 * day + day],
    ['cron(0 0 1 1 ? 2027-2031/2)', 731 * day],
  ])('is computed for %s', (schedule, seconds) => {
    expect((maxAgeSeconds(schedule, from) ?? 0) / hour).toBe((2 * seconds) / hour)
  })

  test.each(['cron(0 0 1 1 ? 2030)', 'cron(0 0 1 1 ? 2020-2025)', 'cron(0 0 30 2 ? *)'])(
    'is unknown for %s, which does not run twice',
    (schedule) => expect(maxAgeSeconds(schedule, from)).toBeUndefined(),
  )

  test('counts 8 years between two leap days around 2100', () => {
    expect(maxAgeSeconds('cron(0 0 29 2 ? *)', Date.parse('2095-01-01T00:00:00Z'))).toBe(
      2 * (8 * 365 * day + day),
    )
  })
})

test.each([
  ['cron(0 0 1 1 ? 2020)', true],
  ['cron(* * * * ? 1970-2025)', true],
  ['cron(0 0 3 3 ? 2026)', false],
  ['cron(0 0 2 3 ? 2026)', true],
  ['cron(0 0 29 2 ? 2026-2027)', true],
  ['cron(0 0 29 2 ? 2026-2028)', false],
  ['cron(59 23 31 12 ? 2199)', false],
  ['cron(0 0 1 1 ? 2020,2027)', false],
  ['cron(0 0 29 2 ? *)', false],
  ['rate(1 day)', false],
])('%s does not run again: %s', (schedule, expected) => expect(hasPassed(schedule, from)).toBe(expected))
