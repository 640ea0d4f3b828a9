import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { createStateStore, type StateStore } from '../../functions/state/sync-state.ts'
import { takesEveryCase } from '../case-count.ts'
import { type EmbeddedStores, startEmbeddedStores, withFreshTable } from './embedded-stores.ts'

let embedded: EmbeddedStores
let fresh: EmbeddedStores
let state: StateStore
beforeAll(async () => {
  embedded = await startEmbeddedStores()
})
beforeEach(async () => {
  fresh = await withFreshTable(embedded)
  state = createStateStore(connectTable(fresh.table, fresh.dynamodb))
  return () => fresh.close()
})
afterAll(() => embedded.close())

const take = (runId: string, range: number, { count = 3, now = 0, until = 100 } = {}) =>
  state.takeScrollSlot({ runId, range }, count, { now, until })

describe('slots for concurrent scrolls', () => {
  it('are as many as configured, over all runs', async () => {
    expect([await take('a', 0), await take('a', 1), await take('b', 0), await take('b', 1)]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('are kept by the range that has one', async () => {
    for (const _ of [1, 2, 3, 4]) expect(await take('a', 0, { count: 1 })).toBe(true)
    expect(await take('b', 0, { count: 1 })).toBe(false)
  })

  it('are free again after their release', async () => {
    await take('a', 0, { count: 1 })
    await state.releaseScrollSlot({ runId: 'a', range: 0 })
    expect(await take('b', 0, { count: 1 })).toBe(true)
  })

  it('of a crashed worker are free once they have expired', async () => {
    await take('a', 0, { count: 1, now: 0, until: 100 })
    expect(await take('b', 0, { count: 1, now: 99, until: 200 })).toBe(false)
    expect(await take('b', 0, { count: 1, now: 100, until: 200 })).toBe(true)
    // The crashed worker, if it still runs, does not get it back.
    expect(await take('a', 0, { count: 1, now: 101, until: 300 })).toBe(false)
  })

  it('go to a run that waits for its first one before a run takes a further one', async () => {
    await take('a', 0)
    await take('a', 1)
    await state.waitForScrollSlot('b', 100)
    expect(await take('a', 2)).toBe(false)
    expect(await take('a', 1)).toBe(true)
    expect(await take('b', 0)).toBe(true)
    await state.releaseScrollSlot({ runId: 'a', range: 1 })
    expect(await take('a', 2)).toBe(true)
  })

  it('are not held back for a run that no longer waits', async () => {
    await take('a', 0)
    await state.waitForScrollSlot('b', 50)
    expect(await take('a', 1, { now: 49 })).toBe(false)
    expect(await take('a', 1, { now: 50 })).toBe(true)
  })

  it('are released with the run', async () => {
    for (const range of [0, 1, 2]) await take('a', range)
    await state.waitForScrollSlot('a', 100)
    await state.release('CL', 'a')
    expect([await take('b', 0), await take('b', 1), await take('b', 2)]).toEqual([true, true, true])
  })

  it.runIf(takesEveryCase())(
    'are all renewed when ten runs renew ten ranges each at the same time',
    async () => {
      const ranges = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
      const workers = ranges.map((index) => ({
        runId: `run-${index}`,
        state: createStateStore(connectTable(fresh.table, fresh.dynamodb)),
      }))
      for (const worker of workers) {
        for (const range of ranges)
          await worker.state.takeScrollSlot({ runId: worker.runId, range }, 100, { now: 0, until: 100 })
      }
      const renewals = workers.map(({ runId, state: own }) =>
        own.renewScrollSlots({ runId, ranges }, 100, { now: 50, until: 150 }),
      )
      expect(await Promise.all(renewals)).toEqual(ranges.map(() => true))
      expect(await take('late', 0, { count: 100, now: 149 })).toBe(false)
      expect(await take('late', 0, { count: 100, now: 150 })).toBe(true)
    },
  )

  it('never exceed their number when many ask at once', async () => {
    const asked = ['a', 'b', 'c', 'd'].flatMap((runId) => [0, 1, 2].map((range) => take(runId, range)))
    expect((await Promise.all(asked)).filter(Boolean).length).toBeLessThanOrEqual(3)
  })
})
