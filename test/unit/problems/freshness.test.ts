import { describe, expect, test } from 'vitest'
import { incrementFreshness, isStale, snapshotFreshness } from '../../../functions/problems/freshness.ts'
import { type FactsChange, factsOf } from './facts-of.ts'

const at = (time: string) => Date.parse(time)
const watchedSince = '2026-03-01T00:00:00.000Z'
const publishedAt = '2026-03-01T06:00:00.000Z'
const hourMs = 3_600_000

interface Given {
  readonly settings: FactsChange['settings'] & {}
  readonly publishedAt: string | undefined
}
/** An entity whose schedules were first seen at `watchedSince`. */
const factsAt = (now: string, { settings, publishedAt }: Given) =>
  factsOf({
    settings,
    state: { latest: publishedAt === undefined ? undefined : { publishedAt } } as never,
    watched: { full: watchedSince, increment: watchedSince, erasure: undefined },
    now: at(now),
  })

test.each([
  { what: 'counts from its publication', publishedAt, now: '2026-03-01T07:00:00Z', hours: 1 },
  {
    what: 'counts from the start of the schedule before the first publication',
    publishedAt: undefined,
    now: '2026-03-01T07:00:00Z',
    hours: 7,
  },
  {
    what: 'counts from its publication also when the schedule has begun later',
    publishedAt: '2026-02-28T00:00:00.000Z',
    now: '2026-03-01T01:00:00Z',
    hours: 25,
  },
  { what: 'is never negative', publishedAt, now: '2026-03-01T05:00:00Z', hours: 0 },
])('the age of a snapshot $what', ({ publishedAt, now, hours }) => {
  const facts = factsAt(now, { settings: { schedule: 'rate(1 day)' }, publishedAt })
  expect(snapshotFreshness(facts)).toMatchObject({ ageMs: hours * hourMs, maxAgeMs: 48 * hourMs })
})

describe('a snapshot is stale', () => {
  const stale = (schedule: string, now: string, enabled = true) =>
    isStale(snapshotFreshness(factsAt(now, { settings: { schedule, enabled }, publishedAt })), at(now))

  test.each([
    ['rate(6 hours)', '2026-03-01T17:59:00Z', '2026-03-01T18:00:00Z'],
    // From Friday to Monday.
    ['cron(0 9 ? * MON-FRI *)', '2026-03-07T05:59:00Z', '2026-03-07T06:00:00Z'],
    ['cron(0 0 1 1 ? *)', '2028-03-02T05:59:00Z', '2028-03-02T06:00:00Z'],
  ])('after twice the longest gap of %s', (schedule, before, after) => {
    expect(stale(schedule, before)).toBe(false)
    expect(stale(schedule, after)).toBe(true)
  })

  test('counted from the start of a schedule that has begun after the publication', () => {
    const settings = { schedule: 'rate(1 day)' }
    const publishedAt = '2026-01-01T00:00:00.000Z'
    const { staleAt } = snapshotFreshness(factsAt('2026-03-01T01:00:00Z', { settings, publishedAt }))
    expect(staleAt).toBe(at('2026-03-03T00:00:00Z'))
  })

  test('never if its schedule does not run again, or is not enabled', () => {
    expect(stale('cron(0 0 1 1 ? 2199)', '2030-01-01T00:00:00Z')).toBe(false)
    expect(stale('rate(1 day)', '2030-01-01T00:00:00Z', false)).toBe(false)
  })
})

test.each([
  ['rate(5 minutes)', '2026-03-01T06:29:59Z', '2026-03-01T06:30:00Z'],
  ['rate(1 hour)', '2026-03-01T08:59:59Z', '2026-03-01T09:00:00Z'],
])(
  'the last window is stale after three intervals of %s, and never within half an hour',
  (schedule, before, after) => {
    const settings = { increments: { schedule, lookbackMinutes: 60 } } as never
    const stale = (now: string) => {
      const freshness = incrementFreshness(factsAt(now, { settings, publishedAt }))
      return freshness && isStale(freshness, at(now))
    }
    expect([before, after].map(stale)).toEqual([false, true])
  },
)
