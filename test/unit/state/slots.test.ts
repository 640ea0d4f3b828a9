import { describe, expect, it } from 'vitest'
import { slotsToTry } from '../../../functions/state/slots.ts'

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
  })
})
