import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'

describe('a map with a bounded number of calls at a time', () => {
  it('calls once for each item, never more than the limit at a time, and keeps the order', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { maxLength: 30 }),
        fc.integer({ min: 1, max: 10 }),
        async (delays, limit) => {
          const called: number[] = []
          let current = 0
          let highest = 0
          const items = delays.map((delayMs, index) => ({ delayMs, index }))
          const results = await mapPooled(items, limit, async ({ delayMs, index }) => {
            called.push(index)
            highest = Math.max(highest, ++current)
            await sleep(delayMs)
            current--
            return `result ${index}`
          })
          expect(called).toEqual(items.map(({ index }) => index))
          expect(results).toEqual(items.map(({ index }) => `result ${index}`))
          expect(highest).toBe(Math.min(limit, items.length))
        },
      ),
      { numRuns: 50 },
    ))

  it('begins nothing after a failure, and rejects once the calls in progress have settled', async () => {
    const finished: number[] = []
    const failure = new Error('The table is throttled.')
    const result = mapPooled([0, 1, 2, 3, 4], 2, async (item) => {
      await sleep(item * 10)
      if (item === 0) throw failure
      finished.push(item)
    })
    await expect(result).rejects.toBe(failure)
    expect(finished).toEqual([1])
  })
})
