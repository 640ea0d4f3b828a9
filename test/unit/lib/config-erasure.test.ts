import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { errorsIn } from './configurations.ts'

const configuration = (eraseWithinDays: number | undefined, entity: object = {}) => ({
  upstream: { baseUrl: 'https://shop.example.com' },
  ...(eraseWithinDays !== undefined && { eraseWithinDays }),
  entities: [{ name: 'CL', schedule: 'rate(1 day)', ...entity }],
})

const errorsOf = (eraseWithinDays: number, entity: object) => errorsIn(configuration(eraseWithinDays, entity))

describe('the defaults of what is kept', () => {
  it.each([
    ['stay without eraseWithinDays', undefined, {}, 7, 30],
    ['stay if they fit', 33, {}, 7, 30],
    ['are lowered to the days that are left', 8, {}, 6, 5],
    ['are lowered to the snapshots of that time', 8, { schedule: 'cron(0 3 ? * MON *)' }, 2, 5],
    ['count the runs of a schedule with pauses', 10, { schedule: 'cron(0 3 ? * MON-FRI *)' }, 6, 7],
    ['stay with many runs a day', 8, { schedule: 'rate(1 hour)' }, 7, 5],
    ['stay next to a day', 33, { keepSnapshots: { daily: 30 } }, { last: 7, daily: 30 }, 30],
    ['are lowered next to a day', 8, { keepSnapshots: { daily: 5 } }, { last: 6, daily: 5 }, 5],
    ['are lowered next to other keys', 8, { changes: { ignore: ['x'], keepDays: undefined } }, 6, 5],
  ])('%s', (...row) => {
    const [, eraseWithinDays, entity, keepSnapshots, keepDays] = row
    const [found] = resolveConfig(configuration(eraseWithinDays, entity)).entities
    expect(found).toMatchObject({ keepSnapshots, changes: { keepDays } })
  })

  it('leave change sets off', () => {
    expect(resolveConfig(configuration(8, { changes: false })).entities[0]).toMatchObject({ changes: false })
  })
})

describe('increments', () => {
  const increments = { schedule: 'rate(5 minutes)' }

  it.each([
    [8, 'rate(2 days)'],
    [17, 'cron(0 3 ? * MON *)'],
  ])('may follow full syncs at most half of the kept days apart: %i, %s', (days, schedule) => {
    expect(errorsOf(days, { schedule, increments })).toEqual([])
  })

  it('of full syncs further apart are an error that says what would be right', () => {
    expect(errorsOf(8, { schedule: 'cron(0 3 ? * MON *)', increments })).toEqual([
      "entities[0].schedule: with eraseWithinDays: 8, increments are kept for 5 days, and the full syncs of 'cron(0 3 ? * MON *)' are up to 7 days apart; schedule them at most 2.5 days apart, or raise eraseWithinDays",
    ])
    expect(errorsOf(8, { schedule: 'cron(0 3 ? * MON *)' })).toEqual([])
  })
})

describe('explicit values', () => {
  it.each([
    { keepSnapshots: 6 },
    { keepSnapshots: { last: 6, daily: 5 } },
    { changes: { keepDays: 5 } },
    { schedule: 'rate(1 hour)', keepSnapshots: 121 },
  ])('may use the whole time: %o', (entity) => expect(errorsOf(8, entity)).toEqual([]))

  it('that keep something for longer are errors that name both keys', () => {
    expect(errorsOf(8, { keepSnapshots: 7, changes: { keepDays: 6 } })).toEqual([
      "entities[0].keepSnapshots: with eraseWithinDays: 8, content that is no longer published is kept for at most 5 days, and 'rate(1 day)' publishes about 6 snapshots in that time; use at most 6 instead of 7, or raise eraseWithinDays",
      'entities[0].changes.keepDays: with eraseWithinDays: 8, content that is no longer published is kept for at most 5 days; use at most 5 instead of 6, or raise eraseWithinDays',
    ])
    expect(errorsOf(8, { keepSnapshots: { last: 7, daily: 6 } })).toEqual([
      expect.stringMatching(/^entities\[0\]\.keepSnapshots\.last: .* use at most 6 instead of 7/),
      expect.stringMatching(/^entities\[0\]\.keepSnapshots\.daily: .* use at most 5 instead of 6/),
    ])
  })
})
