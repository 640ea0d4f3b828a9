import { describe, expect, it } from 'vitest'
import { configured, facts, findingsIn, problemsIn, scheduled } from './healthy-facts.ts'

const expression = 'rate(5 minutes)'
const ofIncrements = (change: Parameters<typeof scheduled>[0] = {}) =>
  scheduled({ expression, starts: 'increment', ...change })

/** A deployment of CL with increments, whose schedules are these. */
const withSchedules = (...schedules: object[]) =>
  facts({
    configured: [{ ...configured, increments: { schedule: expression, lookbackMinutes: 60 } }],
    schedules: { value: schedules },
  })

describe('the schedule of an entity’s increments', () => {
  it('is no finding if it is as configured', () => {
    const findings = findingsIn(withSchedules(scheduled(), ofIncrements()))
    expect(findings.filter(({ about }) => about === 'schedules')).toEqual([
      { about: 'schedules', level: 'ok', text: 'Scheduled as configured: CL.' },
    ])
  })

  it.each<[what: string, schedules: object[], text: string, fix: string]>([
    [
      'is not deployed',
      [],
      'The schedule of increments of CL is configured, but not deployed.',
      'npm run deploy',
    ],
    [
      'was deleted',
      [{ ...ofIncrements(), existing: undefined }],
      'CL has no schedule of increments in the account.',
      'npx --no-install longshore repair-schedule CL',
    ],
    [
      'was changed in the account',
      [ofIncrements({ differences: ['its role is a'] })],
      'The schedule of increments of CL was changed in the account: its role is a.',
      'npx --no-install longshore repair-schedule CL',
    ],
    [
      'is paused',
      [ofIncrements({ enabled: false })],
      'The schedule of increments of CL is paused.',
      'npx --no-install longshore resume CL',
    ],
    [
      'differs from the configuration',
      [ofIncrements({ expression: 'rate(1 hour)' })],
      'The schedule of increments of CL is rate(1 hour) UTC; the configuration has rate(5 minutes) UTC.',
      'npm run deploy',
    ],
  ])('is a problem if it %s', (...[, schedules, text, fix]) => {
    const problems = problemsIn(withSchedules(scheduled(), ...schedules))
    expect(problems).toEqual([{ about: 'schedules', level: 'problem', text, fix }])
  })
})
