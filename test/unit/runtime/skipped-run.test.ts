import { expect, it } from 'vitest'
import { skippedRun } from '../../../functions/runtime/next-run.ts'

const now = Date.parse('2026-11-27T12:00:00Z')
const skipped = (expression: string, timezone: string) => {
  const time = skippedRun({ expression, timezone }, now)
  return time && new Date(time).toISOString().slice(0, 16)
}

it.each([
  ['cron(30 2 * * ? *)', 'Europe/Berlin', '2027-03-28T02:30'],
  ['cron(0 2,14 * * ? *)', 'Europe/Berlin', '2027-03-28T02:00'],
  ['cron(0 2 ? * SUN *)', 'Europe/Berlin', '2027-03-28T02:00'],
  ['cron(30 1 * * ? *)', 'Europe/Lisbon', '2027-03-28T01:30'],
  ['cron(30 2 * * ? *)', 'America/New_York', '2027-03-14T02:30'],
  ['cron(15 0 * * ? *)', 'Africa/Cairo', '2027-04-30T00:15'],
  ['cron(15 2 * * ? *)', 'Australia/Lord_Howe', '2027-10-03T02:15'],
])('%s in %s leaves out the run of %s', (expression, timezone, expected) =>
  expect(skipped(expression, timezone)).toBe(expected),
)

it.each([
  ['the hour before', 'cron(30 1 * * ? *)', 'Europe/Berlin'],
  ['the hour after, whose first minute is not skipped', 'cron(0 3 * * ? *)', 'Europe/Berlin'],
  ['the hour that is repeated in autumn', 'cron(30 1 * * ? *)', 'America/New_York'],
  ['another day', 'cron(30 2 ? * MON *)', 'Europe/Berlin'],
  ['every hour', 'cron(30 * * * ? *)', 'Europe/Berlin'],
  ['every quarter of an hour', 'cron(0/15 * * * ? *)', 'Europe/Berlin'],
  ['the skipped hour and the next one', 'cron(0 2,3 * * ? *)', 'Europe/Berlin'],
  ['a zone without summer time', 'cron(30 2 * * ? *)', 'Asia/Tokyo'],
  ['UTC', 'cron(30 2 * * ? *)', 'UTC'],
  ['a rate', 'rate(1 day)', 'Europe/Berlin'],
])('a schedule of %s leaves out no run', (_, expression, timezone) =>
  expect(skipped(expression, timezone)).toBeUndefined(),
)
