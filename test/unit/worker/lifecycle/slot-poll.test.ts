import { describe, expect, it } from 'vitest'
import { slotPollMs } from '../../../../functions/worker/lifecycle/slot-poll.ts'

/** The number of times that a run asks for a slot while it waits for this long. */
function requestsWithin(waitMs: number): number {
  let requests = 0
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += slotPollMs(waitedMs)) requests++
  return requests
}

const minute = 60_000

describe('a run that waits for a slot', () => {
  it('asks every 15 seconds in the first minute', () => {
    expect([0, 15_000, 59_000].map(slotPollMs)).toEqual([15_000, 15_000, 15_000])
  })

  it('asks less often the longer it has waited, up to every 3 minutes', () => {
    expect([4, 8, 12, 60].map((minutes) => slotPollMs(minutes * minute))).toEqual([
      minute,
      2 * minute,
      3 * minute,
      3 * minute,
    ])
  })

  it('asks a few dozen times in an hour, and stays within the history of an execution for a day', () => {
    expect(requestsWithin(60 * minute)).toBeLessThan(35)
    // Step Functions quotas: 25,000 events. A request adds about ten.
    expect(10 * requestsWithin(24 * 60 * minute)).toBeLessThan(10_000)
  })
})
