import { beforeEach, describe, expect, it } from 'vitest'
import { freeSlot } from '../../../../functions/state/slots/slots.ts'
import { StateTestbed } from '../state-testbed.ts'

const now = 1_000_000
const slot = (number: number, runId: string, until = now + 1) => ({ slot: number, runId, until })
const free = (...slots: ReturnType<typeof slot>[]) => freeSlot(slots, { count: 3, now })

describe('the slot that a run tries to take', () => {
  it('is the first free one', () => {
    expect(free()).toBe(1)
    expect(free(slot(2, 'other'))).toBe(1)
    expect(free(slot(1, 'a'), slot(3, 'c'))).toBe(2)
    expect(free(slot(1, 'a'), slot(2, 'b'), slot(3, 'c'))).toBeUndefined()
  })

  it('can be one that has expired', () => {
    expect(free(slot(1, 'a', now), slot(2, 'b'))).toBe(1)
    expect(free(slot(1, 'a', now + 1), slot(2, 'b', now - 1))).toBe(2)
  })

  it('is one of fewer while other runs hold slots beyond a lowered number', () => {
    expect(free(slot(4, 'a'), slot(1, 'b'))).toBe(2)
    expect(free(slot(4, 'a'), slot(5, 'b'), slot(1, 'c'))).toBeUndefined()
    expect(free(slot(4, 'a', now - 1), slot(1, 'b'), slot(2, 'c'))).toBe(3)
    expect(free(slot(3, 'a'), slot(1, 'b'))).toBe(2)
  })
})

describe('the slots for concurrent syncs', () => {
  const until = now + 100
  let testbed: StateTestbed
  let state: StateTestbed['state']

  beforeEach(() => {
    testbed = new StateTestbed()
    state = testbed.state
  })

  const take = (runId: string, at = now) => state.takeSlot(runId, 2, { now: at, until: at + (until - now) })
  const holders = () => [...testbed.dynamodb.items('slots')].map(({ runId }) => runId?.S)

  it('are taken by as many runs as there are slots', async () => {
    expect([await take('a'), await take('b'), await take('c')]).toEqual([true, true, false])
    expect(holders()).toEqual(['a', 'b'])
  })

  it('are kept by the run that has one, and extended', async () => {
    await take('a')
    expect(await take('a', until)).toBe(true)
    expect([await take('b', until), await take('c', until)]).toEqual([true, false])
  })

  it('are kept beyond a number that was lowered', async () => {
    for (const runId of ['a', 'b']) await take(runId)
    expect(await state.takeSlot('b', 1, { now, until })).toBe(true)
    expect(holders()).toEqual(['a', 'b'])
  })

  const untilOf = (slot: string) => testbed.dynamodb.item('slots', slot)?.['until']

  it('are not shortened by a late request of an older worker of the run', async () => {
    for (const isTaken of [false, true]) {
      if (isTaken) await take('a')
      testbed.beforeNextWrite(() => take('a', until))
      expect(await take('a')).toBe(true)
      expect(holders()).toEqual(['a'])
      expect(untilOf('slot#001')).toEqual({ N: String(until + 100) })
      await state.releaseSlot('a')
    }
  })

  it('are shortened by a worker whose clock is behind that of the worker before', async () => {
    await take('a', until)
    expect(await take('a')).toBe(true)
    expect(untilOf('slot#001')).toEqual({ N: String(until) })
  })

  it('are taken again if the time that an older worker wrote is over', async () => {
    await take('a', until)
    testbed.beforeNextWrite(() => take('a', now - 100))
    expect(await take('a', until)).toBe(true)
    expect(untilOf('slot#001')).toEqual({ N: String(until + 100) })
  })

  it('are not exchanged for another one that is free', async () => {
    await take('a')
    await take('b')
    await state.releaseSlot('a')
    expect(await take('b')).toBe(true)
    expect(holders()).toEqual(['b'])
  })

  it('are stored with the time until which they are taken', async () => {
    await take('a')
    expect(testbed.dynamodb.item('slots', 'slot#001')).toEqual({
      pk: { S: 'slots' },
      sk: { S: 'slot#001' },
      runId: { S: 'a' },
      slot: { N: '1' },
      until: { N: String(until) },
      version: { N: '1' },
    })
  })

  it('go to one of two runs that try to take the same one', async () => {
    testbed.beforeNextWrite(() => take('b'))
    expect(await take('a')).toBe(true)
    expect(holders()).toEqual(['b', 'a'])
    await state.releaseSlot('a')
    testbed.beforeNextWrite(() => take('c'))
    expect(await take('a')).toBe(false)
  })

  it('are taken although the answer was lost and the client repeated the write', async () => {
    testbed.repeatNextWrite()
    expect(await take('a')).toBe(true)
    expect(holders()).toEqual(['a'])
  })

  it('are free again after their release, without those of other runs', async () => {
    await take('a')
    await take('b')
    await state.releaseSlot('a')
    await state.releaseSlot('c')
    expect(holders()).toEqual(['b'])
    expect(await testbed.commandsOf(() => state.releaseSlot('c'))).toEqual(['QueryCommand'])
  })

  it('stay with a run that takes an expired one while the run before releases it', async () => {
    await take('a')
    testbed.beforeNextWrite(() => take('b', until))
    await state.releaseSlot('a')
    expect(holders()).toEqual(['b'])
  })
})
