import { beforeEach, describe, expect, it } from 'vitest'
import { StateTestbed } from '../state-testbed.ts'

const now = 1_000
const until = 2_000
let testbed: StateTestbed
let state: StateTestbed['state']

beforeEach(() => {
  testbed = new StateTestbed()
  state = testbed.state
})

const take = (runId: string, range: number, { count = 2, at = now }: { count?: number; at?: number } = {}) =>
  state.takeScrollSlot({ runId, range }, count, { now: at, until: at + (until - now) })

/** The runs and ranges that have a slot, in the order of the slots. */
const holders = () =>
  [...testbed.dynamodb.items('scroll-slots')].flatMap(({ slot, runId, range }) =>
    slot ? `${runId?.S}-${range?.N}` : [],
  )

describe('the slots for concurrent scrolls', () => {
  it('are taken by as many ranges as there are slots', async () => {
    expect([await take('a', 0), await take('b', 0), await take('a', 1)]).toEqual([true, true, false])
  })

  it('are kept by the range that has one, and extended', async () => {
    await take('a', 0)
    await take('b', 0)
    expect(await take('b', 0, { at: until - 1 })).toBe(true)
    expect(await take('c', 0, { at: until })).toBe(true)
    expect(await take('d', 0, { at: until })).toBe(false)
  })

  it('are not shortened by a late request of an older worker of the run', async () => {
    for (const isTaken of [false, true]) {
      if (isTaken) await take('a', 0)
      testbed.beforeNextWrite(() => take('a', 0, { at: until }))
      expect(await take('a', 0)).toBe(true)
      expect(holders()).toEqual(['a-0'])
      expect(await take('b', 0, { count: 1, at: until })).toBe(false)
      await state.releaseScrollSlot({ runId: 'a', range: 0 })
    }
  })

  it('are shortened by a worker whose clock is behind that of the worker before', async () => {
    await take('a', 0, { count: 1, at: until })
    expect(await take('a', 0, { count: 1 })).toBe(true)
    expect(await take('b', 0, { count: 1, at: until })).toBe(true)
  })

  it('are free again when their time is over', async () => {
    await take('a', 0, { count: 1 })
    expect(await take('b', 0, { count: 1, at: until - 1 })).toBe(false)
    expect(await take('b', 0, { count: 1, at: until })).toBe(true)
  })

  it('are not kept beyond a number that was lowered', async () => {
    await take('a', 0, { count: 3 })
    await take('b', 0, { count: 3 })
    await take('c', 0, { count: 3 })
    expect(await take('c', 0, { count: 2 })).toBe(false)
    expect(await take('b', 0, { count: 2 })).toBe(true)
  })

  it('are released for other runs, each for one range', async () => {
    await take('a', 0)
    await take('a', 1)
    await state.releaseScrollSlot({ runId: 'a', range: 1 })
    expect(await take('b', 0)).toBe(true)
    expect(await take('b', 1)).toBe(false)
    await state.releaseScrollSlot({ runId: 'x', range: 0 })
    expect(await take('b', 1)).toBe(false)
  })

  it('are released by the end of their run', async () => {
    await take('a', 0)
    await take('a', 1)
    await state.release('CL', 'a')
    expect([await take('b', 0), await take('b', 1)]).toEqual([true, true])
  })

  it('are released without those of other ranges and runs', async () => {
    await take('a', 0, { count: 3 })
    await take('a', 1, { count: 3 })
    await take('b', 1, { count: 3 })
    await state.releaseScrollSlot({ runId: 'a', range: 1 })
    expect(holders()).toEqual(['a-0', 'b-1'])
    await state.releaseScrollSlots('a')
    expect(holders()).toEqual(['b-1'])
  })

  it('are tried only if they are free, which takes one write', async () => {
    await take('a', 0)
    await state.waitForScrollSlot('waiting', until)
    expect(await testbed.commandsOf(() => take('b', 0))).toEqual(['QueryCommand', 'UpdateItemCommand'])
  })

  it('go to one of two runs that try to take the same one', async () => {
    testbed.beforeNextWrite(() => take('b', 0))
    expect(await take('a', 0)).toBe(true)
    expect(holders()).toEqual(['b-0', 'a-0'])
    await state.releaseScrollSlots('a')
    testbed.beforeNextWrite(() => take('c', 0))
    expect(await take('a', 0)).toBe(false)
    expect(holders()).toEqual(['b-0', 'c-0'])
  })

  it.each<[string, () => Promise<void>]>([
    ['the range', () => state.releaseScrollSlot({ runId: 'a', range: 0 })],
    ['the run', () => state.releaseScrollSlots('a')],
  ])('stay with a run that takes an expired one while %s before releases it', async (_, release) => {
    await take('a', 0)
    testbed.beforeNextWrite(() => take('b', 0, { at: until }))
    await release()
    expect(holders()).toEqual(['b-0'])
  })

  it('are stored with what they are taken for', async () => {
    const items: unknown[] = []
    testbed.dynamodb.onWrite = (_pk, _sk, { after }) => items.push(after)
    await take('a', 7)
    expect(items).toEqual([
      expect.objectContaining({
        pk: { S: 'scroll-slots' },
        sk: { S: 'slot#001' },
        runId: { S: 'a' },
        range: { N: '7' },
        slot: { N: '1' },
        until: { N: String(until) },
      }),
    ])
  })
})

describe('a run that waits for its first scroll', () => {
  beforeEach(async () => {
    await take('a', 0, { count: 3 })
    await state.waitForScrollSlot('waiting', until)
  })

  it('keeps runs that have a scroll from taking more, until its time is over', async () => {
    expect(await take('a', 1, { count: 3, at: until - 1 })).toBe(false)
    await take('a', 0, { count: 3, at: until })
    expect(await take('a', 1, { count: 3, at: until })).toBe(true)
  })

  it('does not keep them from keeping the scroll that they have', async () => {
    expect(await take('a', 0, { count: 3 })).toBe(true)
  })

  it('does not keep a run from taking its own first scroll', async () => {
    expect(await take('b', 0, { count: 3 })).toBe(true)
    expect(await take('waiting', 0, { count: 3 })).toBe(true)
  })

  it('may take more itself', async () => {
    await take('waiting', 0, { count: 3 })
    await state.waitForScrollSlot('waiting', until)
    expect(await take('waiting', 1, { count: 3 })).toBe(true)
  })

  it('does not wait any more once it has a scroll', async () => {
    await take('waiting', 0, { count: 3 })
    expect(await take('a', 1, { count: 3 })).toBe(true)
  })

  it('keeps such a run from taking more, whatever other runs have', async () => {
    await take('b', 0, { count: 4 })
    expect(await take('a', 1, { count: 4 })).toBe(false)
  })

  it('does not keep a run whose slots have expired from taking its first scroll', async () => {
    await state.waitForScrollSlot('waiting', until + 1)
    expect(await take('a', 1, { count: 3, at: until - 1 })).toBe(false)
    expect(await take('a', 1, { count: 3, at: until })).toBe(true)
  })

  it('waits independently of other runs that wait', async () => {
    await state.waitForScrollSlot('other', until)
    await take('other', 0, { count: 4 })
    expect(await take('a', 1, { count: 4 })).toBe(false)
    await take('waiting', 0, { count: 4 })
    expect(await take('a', 1, { count: 4 })).toBe(true)
  })

  it('does not wait any more once it has ended', async () => {
    await state.waitForScrollSlot('other', until)
    await state.releaseScrollSlots('other')
    expect(await take('a', 1, { count: 3 })).toBe(false)
    expect(await testbed.commandsOf(() => state.releaseScrollSlots('other'))).toEqual(['QueryCommand'])
    await state.releaseScrollSlots('waiting')
    expect(await take('a', 1, { count: 3 })).toBe(true)
  })
})
