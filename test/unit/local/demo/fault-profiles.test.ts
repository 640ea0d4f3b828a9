import { afterEach, expect, it, vi } from 'vitest'
import { minuteMs } from '../../../../functions/runtime/durations.ts'
import { faultProfiles } from '../../../../local/demo/fault-profiles.ts'
import { createFaults } from '../../../../local/stand-in/faults.ts'
import type { ReceivedRequest } from '../../../../local/stand-in/received-request.ts'

afterEach(() => vi.useRealTimers())

it('outage begins with a full sync after the demo, and ends before the last repeat of its third run', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const faults = createFaults()
  faults.add({ ...faultProfiles.outage.rule(), times: Number.POSITIVE_INFINITY })
  const isAway = (minute: number, kind: string, query = '') => {
    vi.setSystemTime(minute * minuteMs)
    return faults.strike({ kind, query: new URLSearchParams(query) } as ReceivedRequest) !== undefined
  }
  expect([isAway(1, 'scroll'), isAway(300, 'scroll', '_where=x'), isAway(301, 'dock')]).toEqual(
    Array(3).fill(false),
  )
  expect([isAway(360, 'scroll'), isAway(361, 'dock'), isAway(1_100, 'scroll', '_where=x')]).toEqual(
    Array(3).fill(true),
  )
  expect([isAway(1_160, 'scroll'), isAway(1_500, 'scroll')]).toEqual([false, false])
})
