import { pagesOf } from '../../../functions/state/run/attempts.ts'
import type { Run } from '../../../functions/state/run/run.ts'
import type { StateStore } from '../../../functions/state/sync-state.ts'
import type { SpeedPoint, SpeedResponse } from '../../contract/run.ts'

/** Each page is an item of some kilobytes. */
const maxPages = 2_000
const maxPeriods = 60

/** How fast the pages of a run's current attempts arrived. */
export async function readSpeed(state: Pick<StateStore, 'pages'>, run: Run): Promise<SpeedResponse> {
  const times: number[] = []
  for await (const { respondedAt } of pagesOf(state, run)) {
    times.push(respondedAt)
    if (times.length > maxPages) return { speed: null }
  }
  return { speed: speedOf(times) }
}

/** Pages per second in at most 60 equal periods of at least a second. Times are in epoch milliseconds. */
function speedOf(times: readonly number[]): readonly SpeedPoint[] {
  const sorted = times.toSorted((one, other) => one - other)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return []
  const periodMs = Math.max(1_000, Math.ceil((last - first + 1) / maxPeriods))
  const counts = Array.from({ length: Math.floor((last - first) / periodMs) + 1 }, () => 0)
  for (const time of sorted) {
    const period = Math.floor((time - first) / periodMs)
    counts[period] = (counts[period] ?? 0) + 1
  }
  return counts.map((count, index) => ({
    at: iso(first + index * periodMs),
    pagesPerSecond: Math.round((count * 10_000) / periodMs) / 10,
  }))
}

const iso = (time: number) => new Date(time).toISOString()
