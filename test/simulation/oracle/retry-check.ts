import type { RangeState } from '../../../stored/run/range.ts'
import { type Run, rangesOfRun, splitOfRun } from '../../../stored/run/run.ts'

/** What a range carries over although it must not, from one write of its run to the next; undefined if nothing. */
export function carriedOver(before: Run | undefined, after: Run): string | undefined {
  // A cancellation may write what it read before the last worker took over. Nobody continues the run after it.
  if (!before || splitOfRun(before)?.kind !== splitOfRun(after)?.kind || after.status === 'cancelled')
    return undefined
  const known = rangesOfRun(before)
  for (const [index, range] of rangesOfRun(after).entries()) {
    const carried = carriedOverBy(known[index], range)
    if (carried) return `range ${index}: ${carried}`
  }
  return undefined
}

function carriedOverBy(before: RangeState | undefined, after: RangeState): string | undefined {
  if (!before) return undefined
  const { attempt, crashes, suspect } = after
  const retryState = after.state === 'proven' ? undefined : after.retryState
  if (attempt > before.attempt && (retryState || crashes || suspect))
    return `attempt ${attempt} begins with ${JSON.stringify({ retryState, crashes, suspect })}`
  if (!crashes || crashes.count === 1 || before.crashes?.page === crashes.page) return undefined
  return `crashes at different pages add up to ${crashes.count}`
}
