import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { checkFreshness } from '../../../functions/freshness/check.ts'
import {
  freshnessOf,
  isStale,
  type WatchedSince,
  watchedSince,
  windowFreshnessOf,
} from '../../../functions/freshness/freshness.ts'
import { entityNamed } from '../../entity-named.ts'

const at = (time: string) => Date.parse(time)
const since = '2026-03-01T00:00:00.000Z'
const publishedAt = '2026-03-01T06:00:00.000Z'

describe('the age of a snapshot', () => {
  test.each([
    { what: 'counts from its publication', publishedAt, now: '2026-03-01T07:00:00Z', ageSeconds: 3600 },
    {
      what: 'counts from the start of the schedule before the first publication',
      publishedAt: undefined,
      now: '2026-03-01T07:00:00Z',
      ageSeconds: 7 * 3600,
    },
    {
      what: 'counts from the start of the schedule if that is later than the publication',
      publishedAt: '2026-01-01T00:00:00.000Z',
      now: '2026-03-01T01:00:00Z',
      ageSeconds: 3600,
    },
    { what: 'is never negative', publishedAt, now: '2026-03-01T05:00:00Z', ageSeconds: 0 },
  ])('$what', ({ publishedAt, now, ageSeconds }) => {
    const freshness = freshnessOf(entityNamed('CL'), { since, publishedAt }, at(now))
    expect(freshness).toEqual({ entity: 'CL', ageSeconds, maxAgeSeconds: 2 * 86_400 })
  })
})

describe('a snapshot is stale', () => {
  const stale = (schedule: string, now: string) =>
    isStale(freshnessOf({ name: 'CL', schedule }, { since, publishedAt }, at(now)))

  test.each([
    ['rate(6 hours)', '2026-03-01T17:59:00Z', '2026-03-01T18:00:00Z'],
    // From Friday to Monday.
    ['cron(0 9 ? * MON-FRI *)', '2026-03-07T05:59:00Z', '2026-03-07T06:00:00Z'],
    ['cron(0 0 1 1 ? *)', '2028-03-02T05:59:00Z', '2028-03-02T06:00:00Z'],
  ])('after twice the longest gap of %s', (schedule, before, after) => {
    expect(stale(schedule, before)).toBe(false)
    expect(stale(schedule, after)).toBe(true)
  })

  test('never if its schedule does not run again', () => {
    expect(stale('cron(0 0 1 1 ? 2199)', '2030-01-01T00:00:00Z')).toBe(false)
  })
})

describe('the entities to watch', () => {
  const now = at('2026-03-02T00:00:00Z')
  const known = { CL: { schedule: 'rate(1 day) UTC', since } }
  const entity = (change = {}) => entityNamed('CL', { schedule: 'rate(1 day)', timezone: 'UTC', ...change })
  const start = new Date(now).toISOString()

  test.each<[string, ReturnType<typeof entity>[], WatchedSince]>([
    ['keep the start of an unchanged schedule', [entity()], known],
    [
      'start over with another schedule',
      [entity({ schedule: 'rate(2 days)' })],
      { CL: { schedule: 'rate(2 days) UTC', since: start } },
    ],
    [
      'start over with another time zone',
      [entity({ timezone: 'Asia/Tokyo' })],
      { CL: { schedule: 'rate(1 day) Asia/Tokyo', since: start } },
    ],
    ['do not include a disabled entity', [entity({ enabled: false })], {}],
    ['do not include an entity that is no longer configured', [], {}],
  ])('%s', (_what, entities, expected) => {
    expect(watchedSince(entities, known, now)).toEqual(expected)
  })
})

test('the check logs each stale snapshot, counts them in one metric and writes only changes', async () => {
  const writes: WatchedSince[] = []
  const lines: Record<string, unknown>[] = []
  let now = at(since)
  const check = {
    entities: ['A', 'B', 'C'].map((name) =>
      entityNamed(name, { schedule: 'rate(2 hours)', enabled: name !== 'C' }),
    ),
    state: {
      readEntity: async (name: string) =>
        name === 'A' ? { latest: { publishedAt, documents: 5, runId: 'r', manifest: 'm' } } : {},
    },
    watch: {
      read: async () => writes.at(-1) ?? {},
      write: async (watched: WatchedSince) => void writes.push(watched),
    },
    log: (level: string, message: string, fields = {}) => void lines.push({ level, message, ...fields }),
    now: () => now,
  }
  expect(await checkFreshness(check)).toHaveLength(2)
  expect(Object.keys(writes[0] ?? {})).toEqual(['A', 'B'])
  expect(lines).toEqual([
    expect.objectContaining({ level: 'INFO', message: 'freshness', entities: 2, StaleSnapshots: 0 }),
  ])
  now = at('2026-03-01T08:00:00Z')
  lines.length = 0
  await checkFreshness(check)
  expect(writes).toHaveLength(1)
  expect(lines).toEqual([
    { level: 'WARN', message: 'snapshot stale', entity: 'B', ageSeconds: 8 * 3600, maxAgeSeconds: 4 * 3600 },
    expect.objectContaining({ message: 'freshness', entities: 2, StaleSnapshots: 1 }),
  ])
})

test('the check ends only after it has stored when it first saw each schedule', async () => {
  const written = Promise.withResolvers<void>()
  let ended = false
  const checked = checkFreshness({
    entities: [entityNamed('CL')],
    state: { readEntity: async () => ({}) },
    watch: { read: async () => ({}), write: () => written.promise },
    log: () => {},
    now: () => at(since),
  }).finally(() => {
    ended = true
  })
  await nextTurn()
  expect(ended).toBe(false)
  written.resolve()
  expect(await checked).toHaveLength(1)
})

test('the check reads ten entities at once', async () => {
  let reading = 0
  let maxReading = 0
  const checked = await checkFreshness({
    entities: Array.from({ length: 25 }, (_, index) => entityNamed(`E${index}`)),
    state: {
      readEntity: async () => {
        reading += 1
        maxReading = Math.max(maxReading, reading)
        await new Promise(setImmediate)
        reading -= 1
        return {}
      },
    },
    watch: { read: async () => ({}), write: async () => {} },
    log: () => {},
    now: () => at(since),
  })
  expect(checked).toHaveLength(25)
  expect(maxReading).toBe(10)
})

describe('the last window of increments', () => {
  const window = (schedule: string, now: string, to: string | undefined) =>
    windowFreshnessOf({ name: 'CL', schedule }, { since, to }, at(now))

  test.each([
    ['rate(5 minutes)', '2026-03-01T06:29:59Z', '2026-03-01T06:30:00Z'],
    ['rate(1 hour)', '2026-03-01T08:59:59Z', '2026-03-01T09:00:00Z'],
  ])('is stale after three intervals of %s, and never within half an hour', (schedule, before, after) => {
    expect(isStale(window(schedule, before, publishedAt))).toBe(false)
    expect(isStale(window(schedule, after, publishedAt))).toBe(true)
  })

  test('counts from the start of the schedule before the first one', () => {
    expect(window('rate(5 minutes)', '2026-03-01T00:10:00Z', undefined).ageSeconds).toBe(600)
  })

  test('is watched since its own schedule began', () => {
    const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 60 }
    const watched = watchedSince([entityNamed('CL', { increments })], {}, at('2026-03-02T00:00:00Z'))
    expect(watched['CL#increments']).toEqual({
      schedule: 'rate(5 minutes) UTC',
      since: '2026-03-02T00:00:00.000Z',
    })
  })
})
