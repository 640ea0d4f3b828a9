import { executionLimitSeconds } from '../../functions/runtime/execution-limit.ts'
import { givenUpAt } from '../../functions/upstream/retry.ts'
import { type Run, rangesOfRun } from './run.ts'

/**
 * When a run that waits gives up if nothing changes until then, in ISO 8601. Null if it does not wait, or if that is not
 * known: the execution of a run that repeats another one began with the first of them.
 */
export function givesUpAt(run: Run): string | null {
  const wait = run.status === 'waiting' ? run.waits?.at(-1) : undefined
  if (!wait) return null
  if (wait.for === 'slot') {
    if (run.execution === undefined || (run.kind === 'full' && run.repeat !== undefined)) return null
    return iso(Date.parse(run.startedAt) + executionLimitSeconds * 1000)
  }
  const times = rangesOfRun(run).flatMap((range) =>
    range.state !== 'proven' && range.retryState ? [givenUpAt(range.retryState)] : [],
  )
  return times.length === 0 ? null : iso(Math.min(...times))
}

const iso = (time: number) => new Date(time).toISOString()
