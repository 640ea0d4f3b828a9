import { describe, expect, test } from 'vitest'
import { watchedSince } from '../../../functions/look/watched-since.ts'
import type { WatchedSince } from '../../../functions/problems/look-items.ts'
import { entityNamed } from '../../entity-named.ts'

const at = (time: string) => Date.parse(time)
const since = '2026-03-01T00:00:00.000Z'

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
  ])('%s', (_what, entities, expected) => expect(watchedSince({ entities }, known, now)).toEqual(expected))

  test('include the increments of an entity since their own schedule began', () => {
    const watched = watchedSince(
      { entities: [entity({ increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } })] },
      {},
      now,
    )
    expect(watched['CL#increments']).toEqual({ schedule: 'rate(5 minutes) UTC', since: start })
  })

  test('include the erasure of every entity since eraseWithinDays was set', () => {
    const entities = [entity({ enabled: false })]
    expect(watchedSince({ entities, eraseWithinDays: 30 }, {}, now)).toEqual({
      'CL#erasure': { schedule: 'eraseWithinDays', since: start },
    })
  })
})
