import { beforeEach, describe, expect, it } from 'vitest'
import { itemVersion } from '../../../../stored/item-version.ts'
import type { Slots } from '../../../../stored/slots/hand-over.ts'
import { StateTestbed } from '../state-testbed.ts'

const now = 1_000
const until = 2_000
let testbed: StateTestbed
let state: StateTestbed['state']

beforeEach(() => {
  testbed = new StateTestbed()
  state = testbed.state
})

const at = (time: number) => ({ now: time, until: time + (until - now) })
const stored = (limit: string) => testbed.dynamodb.item<Slots>('slots', limit)

/** What both limits have in common, for a run that has one slot. */
interface OneSlot {
  readonly limit: 'syncs' | 'scrolls'
  readonly take: (runId: string, time?: number) => Promise<boolean>
  readonly renew: (runId: string, time?: number) => Promise<boolean>
}
const limits: readonly OneSlot[] = [
  {
    limit: 'syncs',
    take: (runId, time = now) => state.takeSlot(runId, 2, at(time)),
    renew: (runId, time = now) => state.renewSlot(runId, 2, at(time)),
  },
  {
    limit: 'scrolls',
    take: (runId, time = now) => state.takeScrollSlot({ runId, range: 0 }, 2, at(time)),
    renew: (runId, time = now) => state.renewScrollSlots({ runId, ranges: [0] }, 2, at(time)),
  },
]

describe.each(limits)('the slots for concurrent $limit', ({ limit, take, renew }) => {
  const owners = () => stored(limit)?.owners.map(({ runId, range }) => `${runId}${range}`)
  const untilOf = (runId: string) => stored(limit)?.owners.find((slot) => slot.runId === runId)?.until

  it('are taken by as many runs as there are slots', async () => {
    expect([await take('a'), await take('b'), await take('c')]).toEqual([true, true, false])
    expect(owners()).toEqual(['a0', 'b0'])
  })

  it('are one item that names their owners', async () => {
    await take('a')
    expect(testbed.dynamodb.item('slots', limit)).toEqual({
      pk: 'slots',
      sk: limit,
      owners: [{ runId: 'a', range: 0, until }],
      waiting: [],
      revision: 1,
      version: itemVersion,
    })
  })

  it('are taken with one read and one write, and renewed with one write', async () => {
    expect(await testbed.requestsOf(() => take('a'))).toEqual(['get', 'put'])
    expect(await testbed.requestsOf(() => renew('a', until))).toEqual(['put'])
    expect(untilOf('a')).toBe(until + 1_000)
  })

  it('are renewed with two writes if another run was written since', async () => {
    await take('a')
    const other = testbed.otherProcess()
    await (limit === 'syncs'
      ? other.takeSlot('b', 2, at(now))
      : other.takeScrollSlot({ runId: 'b', range: 0 }, 2, at(now)))
    const requests = await testbed.requestsOf(async () => expect(await renew('a', now + 1)).toBe(true))
    expect(requests).toEqual(['put', 'put'])
    expect([untilOf('a'), untilOf('b')]).toEqual([until + 1, until])
  })

  it('are read again before a renewal is refused', async () => {
    await take('a')
    await testbed.otherProcess().releaseSlots('a')
    expect(await renew('a')).toBe(false)
    expect(owners()).toEqual([])
  })

  it('are taken although another run was written first', async () => {
    testbed.beforeNextWrite(() => take('b'))
    expect(await take('a')).toBe(true)
    expect(owners()).toEqual(['b0', 'a0'])
  })

  it('are not taken again by a late request after the run has ended', async () => {
    await take('a')
    testbed.beforeNextWrite(() => state.releaseSlots('a'))
    expect(await take('a')).toBe(false)
    expect(owners()).toEqual([])
  })

  it('are taken and renewed although the response was lost and the client repeated the write', async () => {
    testbed.repeatNextWrite()
    expect(await take('a')).toBe(true)
    testbed.repeatNextWrite()
    expect(await renew('a', now + 1)).toBe(true)
    expect(untilOf('a')).toBe(until + 1)
    // What was stored then is extended by the next renewal.
    expect(await renew('a', now + 2)).toBe(true)
    expect(untilOf('a')).toBe(until + 2)
    expect(owners()).toEqual(['a0'])
  })

  it('are released with the run, although the response was lost, without those of other runs', async () => {
    await take('a')
    await take('b')
    testbed.repeatNextWrite()
    await state.releaseSlots('a')
    expect(owners()).toEqual(['b0'])
    const requests = await testbed.requestsOf(() => state.releaseSlots('a'))
    expect(requests).toEqual(['get', 'get'])
  })

  it('are given up after 20 tries to write them', async () => {
    let tries = 0
    const other = testbed.otherProcess()
    testbed.beforeEveryWrite(async () => {
      tries++
      await other.waitForScrollSlot('other', tries)
      await other.takeSlot('other', 2, at(now))
    })
    await expect(take('a')).rejects.toThrow(
      `The slots for concurrent ${limit} changed during each of 20 tries to write them.`,
    )
    expect(tries).toBe(20)
  })
})

describe('the scrolls of a run', () => {
  const take = (runId: string, range: number, count = 3) =>
    state.takeScrollSlot({ runId, range, scrolling: [0, 1, 2] }, count, at(now))
  const owners = () => stored('scrolls')?.owners.map(({ runId, range }) => `${runId}${range}`)

  it('take one slot each, and release it one by one with one write', async () => {
    for (const range of [0, 1, 2]) expect(await take('a', range)).toBe(true)
    const release = () => state.releaseScrollSlot({ runId: 'a', range: 1 })
    expect(await testbed.requestsOf(release)).toEqual(['put'])
    expect(owners()).toEqual(['a0', 'a2'])
    await release()
    expect(owners()).toEqual(['a0', 'a2'])
  })

  it('are renewed together with one write', async () => {
    for (const range of [0, 1, 2]) await take('a', range)
    const renew = () => state.renewScrollSlots({ runId: 'a', ranges: [0, 1, 2] }, 3, at(until))
    expect(await testbed.requestsOf(renew)).toEqual(['put'])
    expect(new Set(stored('scrolls')?.owners.map((slot) => slot.until))).toEqual(new Set([until + 1_000]))
  })

  it('wait once more after another worker of the run waited', async () => {
    await take('a', 0)
    await state.waitForScrollSlot('b', now + 1)
    await testbed.otherProcess().waitForScrollSlot('b', now + 2)
    await state.waitForScrollSlot('b', now + 3)
    expect(stored('scrolls')?.waiting).toEqual([{ runId: 'b', until: now + 3 }])
  })
})
