import { expect, it } from 'vitest'
import { takesEveryCase } from '../../../case-count.ts'
import { playSyncs } from './waiting-syncs.ts'

it.runIf(takesEveryCase())(
  '300 syncs of a second on 10 slots take less than 90 seconds, in the order in which they began',
  async () => {
    const { seconds, order, transitions, invocations } = await playSyncs()
    expect(seconds).toBeLessThan(90)
    const waited = order.slice(10)
    expect(waited).toEqual(waited.toSorted((a, b) => a - b))
    // A wait enters three states: the wait itself, the worker again, and the choice.
    expect(transitions.filter((states) => states === 6)).toHaveLength(10)
    expect(transitions.filter((states) => states === 6 + 3)).toHaveLength(290)
    expect(invocations).toBe(10 + 3 * 290)
  },
)

it('a sync that waits enters three states more every hour', async () => {
  const { transitions } = await playSyncs({ syncs: 2, slots: 1, syncMs: 130 * 60_000 })
  expect(transitions).toEqual([6, 6 + 3 * 3])
})
