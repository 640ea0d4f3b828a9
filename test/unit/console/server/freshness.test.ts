import { expect, it } from 'vitest'
import { freshnessOf } from '../../../../console/server/data/freshness.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const hoursAgo = (hours: number) => new Date(now - hours * 3_600_000).toISOString()
const sixHours = { enabled: true, schedule: 'rate(6 hours)' }
const maxAgeMs = 12 * 3_600_000

it.each([
  ['fresh within two intervals', 11, { kind: 'fresh', ageMs: 11 * 3_600_000, maxAgeMs }],
  ['stale after two intervals', 12, { kind: 'stale', ageMs: 12 * 3_600_000, maxAgeMs }],
])('a snapshot is %s of its schedule', (_, hours, expected) => {
  expect(freshnessOf(sixHours, hoursAgo(hours), now)).toEqual(expected)
})

it('a snapshot of a disabled entity has an age and is never stale', () => {
  const freshness = freshnessOf({ ...sixHours, enabled: false }, hoursAgo(100), now)
  expect(freshness).toEqual({ kind: 'unscheduled', ageMs: 100 * 3_600_000 })
})

it('an entity without a snapshot was never published', () => {
  expect(freshnessOf(sixHours, undefined, now)).toEqual({ kind: 'never' })
})
