import { beforeEach, describe, expect, it } from 'vitest'
import { slotsToTry } from '../../../functions/state/slots.ts'
import { StateTestbed } from './state-testbed.ts'

const now = 1_000_000
const slot = (number: number, runId: string, until = now + 1) => ({ slot: number, runId, until })
const try3 = (...slots: ReturnType<typeof slot>[]) => slotsToTry(slots, { runId: 'mine', count: 3, now })

describe('the slots that a run tries to take', () => {
  it('are all free ones', () => {
    expect(try3()).toEqual([1, 2, 3])
    expect(try3(slot(2, 'other'))).toEqual([1, 3])
    expect(try3(slot(1, 'a'), slot(2, 'b'), slot(3, 'c'))).toEqual([])
  })

  it('include those that have expired', () => {
    expect(try3(slot(1, 'a', now), slot(2, 'b', now + 1), slot(3, 'c', now - 1))).toEqual([1, 3])
  })

  it('are only the own one if the run has one, even beyond a lowered number', () => {
    expect(try3(slot(2, 'mine'))).toEqual([2])
    expect(try3(slot(5, 'mine'), slot(1, 'other'))).toEqual([5])
  })

  it('are fewer while other runs hold slots beyond a lowered number', () => {
    expect(try3(slot(4, 'a'), slot(5, 'b'))).toEqual([1])
    expect(try3(slot(4, 'a'), slot(5, 'b'), slot(6, 'c'))).toEqual([])
    expect(try3(slot(4, 'a', now - 1))).toEqual([1, 2, 3])
    expect(try3(slot(3, 'a'))).toEqual([1, 2])
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

  it('are not shortened by a late request of an older worker of the run', async () => {
    await take('a', until)
    expect(await take('a')).toBe(true)
    await state.releaseSlot('a')
    testbed.beforeNextWrite(() => take('a', until))
    expect(await take('a')).toBe(true)
    expect(holders()).toEqual(['a'])
    expect(testbed.dynamodb.item('slots', 'slot#001')?.['until']).toEqual({ N: String(until + 100) })
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
