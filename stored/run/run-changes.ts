import type { Progress } from '../pages/page.ts'
import type { OpenRange, RangeState } from './range.ts'
import { rangesOf } from './ranges-of-split.ts'
import type {
  ActiveFullRun,
  ActiveRun,
  EndedRun,
  FailureCause,
  PublishedRun,
  PublishingRun,
  RefusedRun,
  RunResult,
  RunWait,
  SnapshotCore,
  SnapshotRun,
  UnpublishedRun,
} from './run.ts'
import type { RunCore } from './run-core.ts'
import { mapRanges, type Split } from './split.ts'

/** Every change of a run's state. `now` is in epoch milliseconds. */

export function running(run: ActiveRun, now: number): ActiveRun {
  return { ...coreOf(run, now), ...endedWaits(run, now), status: 'running' }
}

/** A run that was woken or ended has not waited until its next try. */
function endedWaits({ waits = [] }: ActiveRun, now: number): Pick<ActiveRun, 'waits'> {
  const last = waits.at(-1)
  if (!last || Date.parse(last.to) <= now) return {}
  return { waits: [...waits.slice(0, -1), { ...last, to: iso(Math.max(now, Date.parse(last.from))) }] }
}

export interface NextWait extends Pick<RunWait, 'for' | 'reason'> {
  readonly waitMs: number
  readonly now: number
}

export function waiting(run: ActiveRun, { for: what, reason, waitMs, now }: NextWait): ActiveRun {
  const to = iso(now + waitMs)
  const before = run.waits ?? []
  const last = before.at(-1)
  const continues = last?.reason === reason && Date.parse(last.to) + maxStepMs >= now
  const waits = continues
    ? [...before.slice(0, -1), { ...last, to }]
    : [...before, { for: what, reason, from: iso(now), to }]
  return { ...coreOf(run, now), status: 'waiting', reason, waits: waits.slice(-maxWaits) }
}

/** Between two waits of a run that does nothing but wait. */
const maxStepMs = 60_000
const maxWaits = 20

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

export interface Accepting {
  readonly by: string
  readonly withChanges?: true | undefined
  readonly result: RunResult
  readonly worker: string
  readonly execution: string
  readonly now: number
}

/** The publication of a refused run, as a person decided it. It may have been accepted before, in vain. */
export function accepted(
  run: RefusedRun,
  { by, withChanges, result, worker, execution, now }: Accepting,
): PublishingRun {
  const { refusal, refusedAt } = run.accepted ?? { refusal: run.reason, refusedAt: run.endedAt }
  const acceptance = { by, refusal, refusedAt, acceptedAt: iso(now), withChanges }
  return { ...coreOf(run, now), worker, execution, status: 'publishing', result, accepted: acceptance }
}

export interface RunEnd {
  readonly reason: string
  readonly cause?: FailureCause | undefined
  readonly progress: Progress
  readonly now: number
}

export const refused = (run: ActiveRun, end: RunEnd) => unpublished(run, 'refused', end)

/** An accepted run that cannot be published is refused, as it was before. */
export const failed = (run: ActiveRun, end: RunEnd) =>
  unpublished(run, run.accepted ? 'refused' : 'failed', end)
export const cancelled = (run: ActiveRun, end: RunEnd) => unpublished(run, 'cancelled', end)
export const skipped = (run: ActiveRun, end: RunEnd) => unpublished(run, 'skipped', end)

/** A run whose workers are gone, ended by the entity's next run. */
export function abandoned<R extends EndedRun>(run: R): R {
  return { ...run, abandoned: true }
}

export function withRequest<R extends RunCore>(run: R, receivedBytes: number): R {
  return { ...run, requests: run.requests + 1, receivedBytes: run.receivedBytes + receivedBytes }
}

export function withSearches(run: ActiveFullRun, searches: number): ActiveFullRun {
  return { ...run, searches: run.searches + searches }
}

export function withFault<R extends RunCore>(run: R, fault: string, now: number): R {
  return { ...run, faults: { ...run.faults, [fault]: (run.faults[fault] ?? 0) + 1 }, updatedAt: iso(now) }
}

/** Records how the run splits its entity. */
export function withSplit(run: ActiveFullRun, split: Split, now: number): ActiveFullRun {
  return { ...run, split, updatedAt: iso(now) }
}

/** A range that is not proven yet. */
export function openRangeAt({ split }: Pick<ActiveFullRun, 'split'>, index: number): OpenRange {
  const range = rangesOf(split)[index]
  if (!range || range.state === 'proven') throw new Error(`Range ${index} is not open.`)
  return range
}

/** Changes a range that is not proven yet. */
export function withRange(
  run: ActiveFullRun,
  index: number,
  change: (range: OpenRange) => RangeState,
): ActiveFullRun {
  const changed = change(openRangeAt(run, index))
  return { ...run, split: mapRanges(run.split, (range, at) => (at === index ? changed : range)) }
}

/**
 * Opens a range, before its first request is sent. A range that is opened after a later one may miss a document that
 * was deleted and created again in between, in the later one. Returns the same run if that is known already.
 */
export function withOpening(run: ActiveFullRun, index: number): ActiveFullRun {
  const opened: ActiveFullRun =
    openRangeAt(run, index).state === 'open'
      ? run
      : withRange(run, index, (range) => ({ ...range, state: 'open' }))
  const { split } = opened
  if (split.kind !== 'ranges' || split.reopened) return opened
  const isLate = split.ranges.some((range, at) => at > index && range.state !== 'planned')
  return isLate ? { ...opened, split: { ...split, reopened: true } } : opened
}

/** Records that scroll and search were shown to differ slightly. */
export function withApproximateCoverage(run: ActiveFullRun): ActiveFullRun {
  const { split } = run
  return split.kind === 'ranges' ? { ...run, split: { ...split, coverage: 'approximate' } } : run
}

function unpublished(
  run: ActiveRun,
  status: UnpublishedRun['status'],
  { reason, cause, progress, now }: RunEnd,
): UnpublishedRun {
  const why = { reason, ...(cause && { cause }) }
  const end = { ...why, endedAt: iso(now), abandoned: false }
  return { ...coreOf(run, now), ...endedWaits(run, now), ...progress, status, ...end }
}

type NamesOf<T> = T extends unknown ? keyof T : never

/** The members that a run has in some states only. */
const stateMembers: Readonly<Record<Exclude<NamesOf<SnapshotRun>, NamesOf<SnapshotCore>>, true>> = {
  status: true,
  reason: true,
  cause: true,
  result: true,
  documents: true,
  pages: true,
  total: true,
  rangeProgress: true,
  endedAt: true,
  abandoned: true,
  proof: true,
  uniqueIds: true,
  manifest: true,
}

/** The run without the members of the state that it leaves. */
function coreOf(run: SnapshotRun, now: number): SnapshotCore {
  const kept = Object.entries(run).filter(([name]) => !Object.hasOwn(stateMembers, name))
  return { ...(Object.fromEntries(kept) as unknown as SnapshotCore), updatedAt: iso(now) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
