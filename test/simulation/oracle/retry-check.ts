import type { Run } from '../../../functions/state/run/run.ts'

/** What a run carries over although it must not, from one write of its item to the next; undefined if nothing. */
export function carriedOver(before: Run | undefined, after: Run): string | undefined {
  const { attempt, retryState, crashes, suspect, status } = after
  if (before && attempt > before.attempt && (retryState || crashes || suspect))
    return `attempt ${attempt} begins with ${JSON.stringify({ retryState, crashes, suspect })}`
  const range = newAttempt(before, after)
  if (range) return range
  // A cancellation may write what it read before the last worker took over. Nobody continues the run after it.
  if (!crashes || crashes.count === 1 || !before || status === 'cancelled') return undefined
  const known = before.crashes
  const isSamePlace = known?.attempt === crashes.attempt && known.page === crashes.page
  return isSamePlace ? undefined : `crashes at different pages add up to ${crashes.count}`
}

function newAttempt(before: Run | undefined, after: Run): string | undefined {
  if (before?.partitions.kind !== 'ranges' || after.partitions.kind !== 'ranges') return undefined
  const known = before.partitions.ranges
  const index = after.partitions.ranges.findIndex(
    ({ attempt, retryState, suspect }, at) =>
      attempt > (known[at]?.attempt ?? attempt) && (retryState || suspect),
  )
  return index < 0 ? undefined : `a new attempt of range ${index} begins with the state of the one before`
}
