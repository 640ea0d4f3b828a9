import { describe, expect, test } from 'vitest'
import { checkFreshness } from '../../../functions/freshness/check.ts'
import { freshnessOf, type WatchedSince, watchedSince } from '../../../functions/freshness/freshness.ts'
import { entityNamed } from '../../entity-named.ts'

const at = (time: string) => Date.parse(time)
const since = '2026-03-01T00:00:00.000Z'
const latest = { publishedAt: '2026-03-01T06:00:00.000Z', documents: 5 }

describe('the age of a snapshot', () => {
  test.each([
    { what: 'counts from its publication', published: latest, now: '2026-03-01T07:00:00Z', ageSeconds: 3600 },
    {
      what: 'counts from its schedule if it was never published',
      published: undefined,
      now: '2026-03-01T07:00:00Z',
      ageSeconds: 7 * 3600,
    },
    {
      what: 'counts from its schedule if that is newer',
      published: { ...latest, publishedAt: '2026-01-01T00:00:00.000Z' },
      now: '2026-03-01T01:00:00Z',
      ageSeconds: 3600,
    },
    { what: 'is never negative', published: latest, now: '2026-03-01T05:00:00Z', ageSeconds: 0 },
  ])('$what', ({ published, now, ageSeconds }) => {
    const freshness = freshnessOf('CL', { since, latest: published }, at(now))
    expect(freshness).toEqual({ entity: 'CL', ageSeconds, ...(published && { documents: 5 }) })
  })
})

describe('the watched entities', () => {
  const now = at('2026-03-02T00:00:00Z')
  const known = { CL: { schedule: 'rate(1 day) UTC', since } }
  const entity = (change = {}) => entityNamed('CL', { schedule: 'rate(1 day)', timezone: 'UTC', ...change })
  const startsNow = new Date(now).toISOString()

  test.each<[string, ReturnType<typeof entity>[], WatchedSince]>([
    ['an entity keeps its start time', [entity()], known],
    [
      'a new schedule starts now',
      [entity({ schedule: 'rate(2 days)' })],
      { CL: { schedule: 'rate(2 days) UTC', since: startsNow } },
    ],
    [
      'another time zone starts now',
      [entity({ timezone: 'Asia/Tokyo' })],
      { CL: { schedule: 'rate(1 day) Asia/Tokyo', since: startsNow } },
    ],
    ['a disabled entity is removed', [entity({ enabled: false })], {}],
    ['an entity that is no longer configured is removed', [], {}],
  ])('%s', (_what, entities, expected) => {
    expect(watchedSince(entities, known, now)).toEqual(expected)
  })
})

test('the check measures each scheduled entity, and writes only changes', async () => {
  const writes: WatchedSince[] = []
  const lines: Record<string, unknown>[] = []
  let now = at(since)
  const world = {
    entities: ['A', 'B', 'C'].map((name) => entityNamed(name, { enabled: name !== 'C' })),
    state: {
      readEntity: async (name: string) =>
        name === 'A' ? { latest: { ...latest, runId: 'r', manifest: 'm' } } : {},
    },
    watch: {
      read: async () => writes.at(-1) ?? {},
      write: async (watched: WatchedSince) => void writes.push(watched),
    },
    log: (_level: string, message: string, fields = {}) => void lines.push({ message, ...fields }),
    now: () => now,
  }
  await checkFreshness(world)
  expect(Object.keys(writes[0] ?? {})).toEqual(['A', 'B'])
  now = at('2026-03-01T08:00:00Z')
  lines.length = 0
  await checkFreshness(world)
  expect(writes).toHaveLength(1)
  expect(lines).toHaveLength(2)
  expect(lines).toContainEqual(
    expect.objectContaining({ Entity: 'A', SnapshotAgeSeconds: 7200, SnapshotDocuments: 5 }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ Entity: 'B', SnapshotAgeSeconds: 8 * 3600 }))
})
