import { describe, expect, it } from 'vitest'
import { findScheduleError } from '../../../functions/runtime/settings-schema/schedule.ts'
import { resolveConfig } from '../../../lib/config.ts'
import { entity, withEntity, withKeys } from './configurations.ts'

describe('the schedule of an entity', () => {
  it.each([
    'rate(1 minute)',
    'rate(5 minutes)',
    'rate(1 hour)',
    'rate(24 hours)',
    'rate(1 day)',
    'rate(30 days)',
    'rate(525600 minutes)',
    'rate(8760 hours)',
    'rate(365 days)',
    'cron(0 3 * * ? *)',
    'cron(0/15 8-18 ? * MON-FRI *)',
    'cron(*/5 * * * ? *)',
    'cron(0 0 1,15 * ? *)',
    'cron(0 0 L * ? *)',
    'cron(0 0 15W * ? *)',
    'cron(0 0 ? JAN,jul 6L 2026-2030)',
    'cron(0 0 ? * fri#2 *)',
    'cron(0 0 ? * SUN *)',
    'cron(59 23 31 12 ? 2199)',
  ])('accepts %s', (expression) => expect(findScheduleError(expression)).toBeUndefined())

  it.each([
    ['every day', "'every day' is neither rate(…) nor cron(…)"],
    ['', "'' is neither rate(…) nor cron(…)"],
    ['rate(1 day)\n', "'rate(1 day)\\n' is neither rate(…) nor cron(…)"],
    ['0 3 * * ? *', "'0 3 * * ? *' is neither rate(…) nor cron(…)"],
    ['at(2030-01-01T00:00:00)', 'is neither rate(…) nor cron(…)'],
    ['Rate(1 day)', 'is neither rate(…) nor cron(…)'],
    ['rate(1 day) ', 'is neither rate(…) nor cron(…)'],
    ['rate(1 minutes)', "'rate(1 minutes)' must be written rate(1 minute)"],
    ['rate(2 hour)', "'rate(2 hour)' must be written rate(2 hours)"],
    ['rate(0 minutes)', 'is not a rate; use minutes, hours or days'],
    ['rate(-1 days)', 'is not a rate'],
    ['rate(1.5 hours)', 'is not a rate'],
    ['rate(5 seconds)', 'is not a rate'],
    ['rate(2 weeks)', 'is not a rate'],
    ['rate(5minutes)', 'is not a rate'],
    ['rate(525601 minutes)', 'is longer than a year; use at most rate(525600 minutes)'],
    ['rate(8761 hours)', 'is longer than a year; use at most rate(8760 hours)'],
    ['rate(366 days)', "'rate(366 days)' is longer than a year; use at most rate(365 days)"],
    [`rate(${'9'.repeat(400)} days)`, 'is longer than a year'],
    ['rate()', 'is not a rate'],
    [
      'cron(0 3 * * *)',
      "'cron(0 3 * * *)' must have six fields separated by single spaces: cron(minutes hours day-of-month month day-of-week year)",
    ],
    ['cron(0 3 * * ? * *)', 'must have six fields'],
    ['cron(0  3 * * ? *)', 'must have six fields separated by single spaces'],
    ['cron(60 3 * * ? *)', "has '60' in minutes, which must be 0 to 59"],
    ['cron(0 24 * * ? *)', "has '24' in hours, which must be 0 to 23"],
    ['cron(0 0 0 * ? *)', "has '0' in day-of-month, which must be 1 to 31"],
    ['cron(0 0 32W * ? *)', "has '32W' in day-of-month"],
    ['cron(0 0 1 13 ? *)', "has '13' in month, which must be 1 to 12"],
    ['cron(0 0 1 JANUARY ? *)', "has 'JANUARY' in month"],
    ['cron(0 0 ? * 0 *)', "has '0' in day-of-week, which must be 1 to 7"],
    ['cron(0 0 ? * MON#6 *)', "has 'MON#6' in day-of-week"],
    ['cron(0 0 1 * ? 1969)', "has '1969' in year, which must be 1970 to 2199"],
    ['cron(? 0 1 * ? *)', "has '?' in minutes"],
    ['cron(0/0 0 1 * ? *)', "has '0/0' in minutes"],
    ['cron(1-2-3 0 1 * ? *)', "has '1-2-3' in minutes"],
    ['cron(1, 0 1 * ? *)', "has '1,' in minutes"],
    ['cron(0 3 * * * *)', 'must have ? in either day-of-month or day-of-week, but not both'],
    ['cron(0 3 ? * ? *)', 'must have ? in either day-of-month or day-of-week, but not both'],
  ])('refuses %s', (expression, error) => expect(findScheduleError(expression)).toContain(error))
})

it('names each schedule that does not run again with all other errors at a start, unless the entity is disabled', () => {
  const schedule = 'cron(0 0 1 1 ? 2020)'
  const input = withKeys({
    entities: [
      { ...entity, name: 'OFF', schedule, enabled: false },
      { ...entity, name: 'CL', schedule },
      { ...entity, name: 'AD', increments: { schedule } },
      { ...entity, name: 'OR', schedule: 'cron(0 0 1 1 ? 2019-2199)', pageSize: 0 },
    ],
  })
  expect(() => resolveConfig(input, 'A', { schedules: 'must-run' })).toThrow(
    [
      'A has 3 errors:',
      '  entities[3].pageSize: 0 is not a whole number from 1 to 1000',
      "  entities[1].schedule: 'cron(0 0 1 1 ? 2020)' does not run again; name a later year, or set enabled: false",
      "  entities[2].increments.schedule: 'cron(0 0 1 1 ? 2020)' does not run again; name a later year, or remove increments",
    ].join('\n'),
  )
  expect(() => resolveConfig(withKeys({ entities: [] }), 'A', { schedules: 'must-run' })).not.toThrow()
  expect(() => resolveConfig(withEntity({ schedule }))).not.toThrow()
})
