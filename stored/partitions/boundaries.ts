/** Counts the documents whose value is at or before a time (epoch milliseconds), and the requests that this took. */
export type CountUpTo = (timeMs: number) => Promise<{ readonly documents: number; readonly requests: number }>

export interface Spread {
  /** Epoch milliseconds of the smallest and the largest value. */
  readonly firstMs: number
  readonly lastMs: number
  /** Documents that have a value. */
  readonly total: number
}

/** A boundary is good enough when its range is off by no more than this share of the mean. */
const tolerance = 0.05

interface CountedTime {
  readonly timeMs: number
  readonly count: number
}

/**
 * Finds at most `count - 1` boundaries (ISO 8601, distinct, ascending) that cut the documents into ranges of about
 * equal size. Fewer if values coincide. Counts nothing more after `maxRequests` requests.
 */
export async function findBoundaries(
  { firstMs, lastMs, total }: Spread,
  { count, maxRequests }: { readonly count: number; readonly maxRequests: number },
  countUpTo: CountUpTo,
): Promise<string[]> {
  const mean = total / count
  const points: CountedTime[] = [
    { timeMs: firstMs - 1, count: 0 },
    { timeMs: lastMs, count: total },
  ]
  const targets = Array.from({ length: count - 1 }, (_, index) => (index + 1) * mean)
  let requests = 0
  for (let probes = 0; requests < maxRequests; probes++) {
    const next = targets
      .filter((target) => Math.abs(nearest(points, target).count - target) > tolerance * mean)
      .map((target) => nextProbe(points, target, probes % 2 === 0 ? 'interpolate' : 'halve'))
      .find((probe) => probe !== undefined)
    if (next === undefined) break
    const counted = await countUpTo(next)
    requests += counted.requests
    points.push({ timeMs: next, count: counted.documents })
    points.sort((a, b) => a.timeMs - b.timeMs)
  }
  const times = targets.map((target) => nearest(points, target).timeMs)
  const inside = times.filter((timeMs) => timeMs >= firstMs && timeMs < lastMs)
  // While an entity changes, its counts may not ascend with the time.
  const ascending = [...new Set(inside)].toSorted((a, b) => a - b)
  return ascending.map((timeMs) => new Date(timeMs).toISOString())
}

function nearest(points: readonly CountedTime[], target: number): CountedTime {
  return points.reduce((best, point) =>
    Math.abs(point.count - target) < Math.abs(best.count - target) ? point : best,
  )
}

/** The time to count at next for a target; undefined when no time is left between its neighbors. */
function nextProbe(
  points: readonly CountedTime[],
  target: number,
  method: 'interpolate' | 'halve',
): number | undefined {
  const above = points.findIndex(({ count }) => count >= target)
  const high = points[above]
  const low = points[above - 1]
  if (!low || !high || high.timeMs - low.timeMs <= 1) return undefined
  const share = method === 'halve' ? 0.5 : (target - low.count) / Math.max(1, high.count - low.count)
  const guess = Math.round(low.timeMs + share * (high.timeMs - low.timeMs))
  return Math.min(high.timeMs - 1, Math.max(low.timeMs + 1, guess))
}
