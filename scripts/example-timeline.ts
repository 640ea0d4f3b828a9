import type { TimelineResponse, TimelineRun } from '../console/contract/timeline.ts'

const hour = 3_600_000
const iso = (time: number) => new Date(time).toISOString()
const runIdOf = (time: number, index: number) =>
  `${iso(time).replaceAll(/[-:.]/g, '')}-${String(index).padStart(12, '0')}`

const lanes = ['CL', 'AD', 'orders', 'products', 'prices', 'stock', 'coupons', 'stores']
const outage = { fromHoursAgo: 7.2, toHoursAgo: 4.9 }

/** Syncs of a day. The platform was away for some hours; those of one entity became slow, and one was refused. */
export function exampleTimeline(now: number): TimelineResponse {
  return {
    entities: lanes,
    lanes: lanes.map((entity, index) => ({ entity, runs: exampleRuns(now, index) })),
    next: Object.fromEntries(lanes.map((entity, index) => [entity, iso(now + (index + 0.5) * 0.4 * hour)])),
    revision: 1,
    now: iso(now),
  }
}

function exampleRuns(now: number, index: number): TimelineRun[] {
  const newest = now - (index + 1) * 0.1 * hour
  const everyHours = [1, 6, 1, 3, 2, 0.5, 12, 4][index] ?? 1
  const count = Math.floor(23 / everyHours)
  return Array.from({ length: count }, (_, at): TimelineRun => {
    const start = newest - (count - at) * everyHours * hour
    const hoursAgo = (now - start) / hour
    const isAway = hoursAgo <= outage.fromHoursAgo && hoursAgo >= outage.toHoursAgo
    const isSlow = index === 2 && at > count / 2
    const usualMinutes = (5 + index * 2) * (isSlow ? 2.5 : 1) * (1 + ((at * 7) % 5) / 20)
    const isRefused = index === 4 && at === count - 1
    return {
      runId: runIdOf(start, index),
      status: isAway ? 'failed' : isRefused ? 'refused' : 'published',
      startedAt: iso(start),
      endedAt: iso(start + (isAway ? 1 : usualMinutes) * 60_000),
      documents: isAway ? 0 : 10_000 * (index + 1) + at,
    }
  })
}
