import type { Progress } from '../pages/page.ts'
import type { Partitions, RangeState } from './partitions.ts'
import type { RetryState } from './retry-state.ts'
import type {
  ActiveRun,
  EndedRun,
  PublishedRun,
  PublishingRun,
  RunCore,
  RunResult,
  UnpublishedRun,
} from './run.ts'

/** Every change of a run's state. `now` is in epoch milliseconds. */

export function running(run: ActiveRun, now: number): ActiveRun {
  return { ...coreOf(run, now), status: 'running' }
}

export function waiting(run: ActiveRun, reason: string, now: number): ActiveRun {
  return { ...coreOf(run, now), status: 'waiting', reason }
}

/** From here on only the publication can end the run. */
export function publishing(run: ActiveRun, result: RunResult, now: number): PublishingRun {
  return { ...coreOf(run, now), status: 'publishing', result }
}

export interface Publication {
  readonly manifest: string
  readonly progress: Progress
  readonly now: number
}

export function published(run: PublishingRun, { manifest, progress, now }: Publication): PublishedRun {
  const { documents, uniqueIds, proof } = run.result
  const end = { ...progress, documents, uniqueIds, proof, manifest, endedAt: iso(now), abandoned: false }
  return { ...coreOf(run, now), ...end, status: 'published' }
}

export interface RunEnd {
  readonly reason: string
  readonly progress: Progress
  readonly now: number
}

export const refused = (run: ActiveRun, end: RunEnd) => unpublished(run, 'refused', end)
export const failed = (run: ActiveRun, end: RunEnd) => unpublished(run, 'failed', end)
export const cancelled = (run: ActiveRun, end: RunEnd) => unpublished(run, 'cancelled', end)
export const skipped = (run: ActiveRun, end: RunEnd) => unpublished(run, 'skipped', end)

/** A run whose workers are gone, ended by the entity's next run. */
export function abandoned<R extends EndedRun>(run: R): R {
  return { ...run, abandoned: true }
}

/** The next attempt begins without the retry state, the crashes and the suspicion of the one before. */
export function nextAttempt(
  run: ActiveRun,
  { pageSize, uniqueIds, now }: { pageSize: number; uniqueIds: number | undefined; now: number },
): ActiveRun {
  // The count of a suspect attempt never vouches for a later one.
  const counts = run.suspect || uniqueIds === undefined ? [] : [uniqueIds]
  return {
    ...run,
    attempt: run.attempt + 1,
    attemptStartedAt: iso(now),
    updatedAt: iso(now),
    suspect: false,
    retryState: undefined,
    crashes: undefined,
    plan: { ...run.plan, pageSize },
    cleanCounts: [...run.cleanCounts, ...counts],
  }
}

export function suspect(run: ActiveRun, now: number): ActiveRun {
  return { ...run, suspect: true, updatedAt: iso(now) }
}

/** Records the `_size` that was answered. */
export function withPageSize<R extends ActiveRun>(run: R, pageSize: number): R {
  return { ...run, plan: { ...run.plan, pageSize } }
}

export function withRetryState(
  run: ActiveRun,
  { retryState, pageSize }: { retryState: RetryState | undefined; pageSize: number },
): ActiveRun {
  return withPageSize({ ...run, retryState }, pageSize)
}

export function withRequest(run: ActiveRun, receivedBytes: number): ActiveRun {
  return { ...run, requests: run.requests + 1, receivedBytes: run.receivedBytes + receivedBytes }
}

export function withFault(run: ActiveRun, fault: string, now: number): ActiveRun {
  return { ...run, faults: { ...run.faults, [fault]: (run.faults[fault] ?? 0) + 1 }, updatedAt: iso(now) }
}

/** Records how the ranges of the run were planned, or why it scrolls without them. */
export function withPartitions(run: ActiveRun, partitions: Partitions, now: number): ActiveRun {
  return { ...run, partitions, updatedAt: iso(now) }
}

/** Changes one range. */
export function withRange(run: ActiveRun, index: number, change: RangeChange): ActiveRun {
  const { partitions } = run
  if (partitions.kind !== 'ranges') throw new Error('The run has no ranges.')
  const ranges = partitions.ranges.map((range, at) => (at === index ? change(range) : range))
  return { ...run, partitions: { ...partitions, ranges } }
}

export type RangeChange = (range: RangeState) => RangeState

function unpublished(
  run: ActiveRun,
  status: UnpublishedRun['status'],
  { reason, progress, now }: RunEnd,
): UnpublishedRun {
  return { ...coreOf(run, now), ...progress, status, reason, endedAt: iso(now), abandoned: false }
}

/** The run without the fields of the state that it leaves. */
function coreOf(run: ActiveRun, now: number): RunCore {
  const {
    status: _status,
    reason: _reason,
    result: _result,
    ...core
  } = {
    reason: undefined,
    result: undefined,
    ...run,
  }
  return { ...core, updatedAt: iso(now) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
