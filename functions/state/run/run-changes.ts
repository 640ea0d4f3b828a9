import type { Progress } from '../pages/page.ts'
import type { Proof } from './proof.ts'
import type { OpenRange, RangeState } from './range.ts'
import type {
  ActiveRun,
  EndedRun,
  IncrementResult,
  PublishedRun,
  PublishingRun,
  RefusedRun,
  RunCore,
  RunResult,
  UnpublishedRun,
} from './run.ts'
import { mapRanges, rangesOf, type Split } from './split.ts'

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
  const { by, refusedAt } = run.accepted ?? {}
  return { ...coreOf(run, now), ...end, by, refusedAt, status: 'published' }
}

/** The end of an increment. It has no manifest if it found nothing new. */
export interface Delivery {
  readonly proof: Proof
  /** Unique documents of its scroll. */
  readonly uniqueIds: number
  readonly progress: Progress
  readonly increment: IncrementResult
  readonly manifest: string | null
  readonly now: number
}

export function delivered(run: ActiveRun, { now, progress, ...delivery }: Delivery): PublishedRun {
  const end = { ...progress, ...delivery, endedAt: iso(now), abandoned: false }
  return { ...coreOf(run, now), ...end, status: 'published' }
}

export interface Accepting {
  readonly by: string
  readonly result: RunResult
  readonly worker: string
  readonly execution: string
  readonly now: number
}

/** The publication of a refused run, as a person decided it. */
export function accepted(run: RefusedRun, { by, result, worker, execution, now }: Accepting): PublishingRun {
  const { refusal = run.reason, endedAt: refusedAt } = run
  const acceptance = { by, refusal, refusedAt }
  return { ...coreOf(run, now), worker, execution, status: 'publishing', result, accepted: acceptance }
}

export interface RunEnd {
  readonly reason: string
  readonly progress: Progress
  readonly now: number
}

export const refused = (run: ActiveRun, end: RunEnd) => unpublished(run, 'refused', end)

/** An accepted run that cannot be published is refused, as it was before. */
export function failed(run: ActiveRun, end: RunEnd): UnpublishedRun {
  const acceptance = run.status === 'publishing' ? run.accepted : undefined
  return acceptance
    ? { ...unpublished(run, 'refused', end), refusal: acceptance.refusal }
    : unpublished(run, 'failed', end)
}
export const cancelled = (run: ActiveRun, end: RunEnd) => unpublished(run, 'cancelled', end)
export const skipped = (run: ActiveRun, end: RunEnd) => unpublished(run, 'skipped', end)

/** A run whose workers are gone, ended by the entity's next run. */
export function abandoned<R extends EndedRun>(run: R): R {
  return { ...run, abandoned: true }
}

export function withRequest(run: ActiveRun, receivedBytes: number): ActiveRun {
  return { ...run, requests: run.requests + 1, receivedBytes: run.receivedBytes + receivedBytes }
}

export function withSearches(run: ActiveRun, searches: number): ActiveRun {
  return { ...run, searches: run.searches + searches }
}

export function withFault(run: ActiveRun, fault: string, now: number): ActiveRun {
  return { ...run, faults: { ...run.faults, [fault]: (run.faults[fault] ?? 0) + 1 }, updatedAt: iso(now) }
}

/** Records how the run splits its entity. */
export function withSplit(run: ActiveRun, split: Split, now: number): ActiveRun {
  return { ...run, split, updatedAt: iso(now) }
}

/** A range that is not proven yet. */
export function openRangeAt({ split }: Pick<ActiveRun, 'split'>, index: number): OpenRange {
  const range = rangesOf(split)[index]
  if (!range || range.state === 'proven') throw new Error(`Range ${index} is not open.`)
  return range
}

/** Changes a range that is not proven yet. */
export function withRange(
  run: ActiveRun,
  index: number,
  change: (range: OpenRange) => RangeState,
): ActiveRun {
  const changed = change(openRangeAt(run, index))
  return { ...run, split: mapRanges(run.split, (range, at) => (at === index ? changed : range)) }
}

/**
 * Opens a range, before its first request is sent. A range that is opened after a later one may miss a document that
 * was deleted and created again in between, in the later one. Returns the same run if that is known already.
 */
export function withOpening(run: ActiveRun, index: number): ActiveRun {
  const opened: ActiveRun =
    openRangeAt(run, index).state === 'open'
      ? run
      : withRange(run, index, (range) => ({ ...range, state: 'open' }))
  const { split } = opened
  if (split.kind !== 'ranges' || split.reopened) return opened
  const isLate = split.ranges.some((range, at) => at > index && range.state !== 'planned')
  return isLate ? { ...opened, split: { ...split, reopened: true } } : opened
}

/** Records that scroll and search were shown to differ slightly. */
export function withApproximateCoverage(run: ActiveRun): ActiveRun {
  const { split } = run
  return split.kind === 'ranges' ? { ...run, split: { ...split, coverage: 'approximate' } } : run
}

function unpublished(
  run: ActiveRun,
  status: UnpublishedRun['status'],
  { reason, progress, now }: RunEnd,
): UnpublishedRun {
  return { ...coreOf(run, now), ...progress, status, reason, endedAt: iso(now), abandoned: false }
}

/** The run without the fields of the state that it leaves. */
function coreOf(run: RunCore, now: number): RunCore {
  const { runId, entity, startedAt, acceptShrink, plan, split, execution, worker, revision } = run
  const { requests, searches, receivedBytes, faults, republishedFrom } = run
  const kind = run.kind && { kind: run.kind }
  const guarded = run.guarded && { guarded: run.guarded }
  const began = { ...kind, runId, entity, startedAt, acceptShrink, plan, split, execution, worker, revision }
  const counts = { requests, searches, receivedBytes, faults }
  return { ...began, republishedFrom, ...counts, ...guarded, updatedAt: iso(now) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
