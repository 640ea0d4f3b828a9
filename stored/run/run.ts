import { createHash, randomBytes } from 'node:crypto'
import type { EntitySettings, TotalsRule } from '../../functions/runtime/settings.ts'
import type { IncrementRun } from './increment-run.ts'
import type { Proof } from './proof.ts'
import type { RangeState } from './range.ts'
import { rangesOf } from './ranges-of-split.ts'
import { newCore, type RunCore, type RunEnding, type RunStart } from './run-core.ts'
import { type ShrinkLimits, shrinkLimitsOf } from './shrink-limit.ts'
import { type PartitionResult, type Split, splitOf } from './split.ts'

export const activeStatuses = ['running', 'waiting', 'publishing'] as const
/** A run that is `publishing` may have moved `latest.json`: only its publication can end it. */
export const cancellableStatuses = ['running', 'waiting'] as const
export const endedStatuses = ['published', 'refused', 'failed', 'cancelled', 'skipped'] as const
/** What may refuse a run: its snapshot, or the change set of its comparison. */
export const guards = ['snapshot', 'changes'] as const
export type Guard = (typeof guards)[number]

/** What a person accepts: a snapshot, alone or with the change set that follows it, or a change set. */
export type AcceptedGuard =
  | { readonly guard: 'snapshot'; readonly withChanges?: true }
  /** `refusedAt`: of the refusal that was reviewed; absent if it is not known. */
  | { readonly guard: 'changes'; readonly refusedAt?: string | undefined }

/** `withChanges`: with the change set that follows a snapshot. */
export function acceptedGuard(
  guard: Guard,
  {
    withChanges,
    refusedAt,
  }: { readonly withChanges?: boolean | undefined; readonly refusedAt?: string | undefined },
): AcceptedGuard {
  if (guard === 'snapshot') return withChanges ? { guard, withChanges } : { guard }
  return refusedAt === undefined ? { guard } : { guard, refusedAt }
}

export type ActiveStatus = (typeof activeStatuses)[number]
export type EndedStatus = (typeof endedStatuses)[number]
export type RunStatus = ActiveStatus | EndedStatus

/** One run of one entity, as its item in the state table. Times are ISO 8601 in UTC. */
export type Run = SnapshotRun | IncrementRun
/** A run that publishes a snapshot, unless a guard refuses it. */
export type SnapshotRun = ActiveRun | EndedRun
export type ActiveRun = SnapshotCore & ActiveState
export type FullRun = FullCore & (ActiveState | (Ended & (Published | Unpublished)))
export type ActiveFullRun = FullCore & ActiveState
export type PublishingRun = SnapshotCore & Publishing
export type EndedRun = PublishedRun | UnpublishedRun
export type PublishedRun = SnapshotCore & Ended & Published
export type UnpublishedRun = SnapshotCore & Ended & Unpublished
export type RefusedRun = UnpublishedRun & { readonly status: 'refused' }

export type SnapshotCore = FullCore | RepublicationCore

interface GuardedCore extends RunCore {
  /** The invocation that works on the run. */
  readonly worker: string | undefined
  readonly acceptShrink: boolean
  /** Only if the run was started to accept the deletes of its change set. */
  readonly acceptDeletes?: true | undefined
  /** Absent before the guards have decided, and from runs of 1.0.0. */
  readonly guarded?: GuardDecision | undefined
  /** Absent unless a person decided to publish what a guard had refused. */
  readonly accepted?: Acceptance | undefined
  /** The last waits, oldest first. Absent before the first one, and from runs of 1.0.0. */
  readonly waits?: readonly RunWait[] | undefined
}

/** A time in which the state machine waited. A wait for the same reason as the previous one continues it. */
export interface RunWait {
  readonly for: 'slot' | 'platform'
  readonly reason: string
  readonly from: string
  /** When the next worker tries again. */
  readonly to: string
}

/** Scrolls the whole entity. */
interface FullCore extends GuardedCore {
  readonly kind: 'full'
  readonly plan: ScrollPlan
  readonly split: Split
  /** Absent if it repeats none. */
  readonly repeat?: Repeat | undefined
  /** Searches among the requests. */
  readonly searches: number
}

/** Of a run that is repeated because the platform was away. */
export interface Repeat {
  /** The run that the schedule started. */
  readonly of: string
  /** The run that failed last: that one, or an earlier repeat. */
  readonly after: string
}

/** Publishes the snapshot of an older run again. */
interface RepublicationCore extends GuardedCore {
  readonly kind: 'republication'
  readonly republishedFrom: string
  readonly limits: GuardLimits
}

/** What the guards decided on when the snapshot was proven. */
export interface GuardDecision {
  readonly decidedAt: string
  readonly uniqueIds: number
  /** Unique ids of the snapshot that was published then; absent if there was none. */
  readonly publishedIds?: number | undefined
  /** The configuration key of the guard that refused the snapshot; absent if none did. */
  readonly refusedBy?: string | undefined
}

/**
 * What a run scrolls: the configuration of the worker that received its first page. A later deployment does not change
 * it, since pages of two queries or ids of two fields prove nothing together.
 */
export interface ScrollPlan extends GuardLimits {
  readonly query: EntitySettings['query']
  readonly idField: string
  readonly configuredPageSize: number
  /** The `_size` that the run begins with. */
  readonly pageSize: number
  readonly totalTolerancePercent: number
  /** Absent from runs of 1.0.0. */
  readonly totals?: TotalsRule
}

/** The configuration of the guards, so that two workers that publish the run make the same decision. */
export interface GuardLimits extends ShrinkLimits {
  readonly allowEmpty: boolean
}

type ActiveState = Running | Waiting | Publishing

interface Running {
  readonly status: 'running'
}

interface Waiting {
  readonly status: 'waiting'
  readonly reason: string
}

interface Publishing {
  readonly status: 'publishing'
  readonly result: RunResult
}

/** A person's decision to publish what a guard refused. */
export interface Acceptance {
  /** Who decided, as the caller's identity. */
  readonly by: string
  /** Why the guard refused it, and when. The run did nothing from then until it was accepted. */
  readonly refusal: string
  readonly refusedAt: string
  readonly acceptedAt: string
  /** True if the change set of the snapshot was accepted with it. */
  readonly withChanges?: true | undefined
}

interface Ended extends RunEnding {
  /** True if its worker was gone and the entity's next run ended it. */
  readonly abandoned: boolean
}

interface Published {
  readonly status: 'published'
  readonly proof: Proof
  readonly uniqueIds: number
  /** Key of the manifest of its snapshot. */
  readonly manifest: string
}

/** What a run failed for, where more follows from it than its reason says. */
export type FailureCause = 'credentials' | 'platform-away' | 'unreadable-object'

interface Unpublished {
  readonly status: 'refused' | 'failed' | 'cancelled' | 'skipped'
  /** Why nothing was published, and what to do about it. */
  readonly reason: string
  /** Absent if nothing more is known, and from runs of 1.0.0. */
  readonly cause?: FailureCause | undefined
}

/** What the proof found: the manifest without its pages. */
export interface RunResult {
  readonly proof: Proof
  readonly documents: number
  readonly uniqueIds: number
  /** Documents that have no id and are known by their bytes; absent if there are none. */
  readonly withoutId?: number
  readonly pages: number
  /** Null if the platform reported no valid total. */
  readonly reportedTotal: number | null
  readonly pageSize: number
  /** When the first page of the published attempt arrived: the snapshot is as of that time. */
  readonly openedAt: string
  readonly finishedAt: string
  readonly spent: Spent
  /** What each range received; undefined if the entity was scrolled without partitions. */
  readonly partitions: PartitionResult | undefined
}

export interface Spent {
  readonly requests: number
  readonly receivedBytes: number
  readonly milliseconds: number
}

export type FullRunStart = RunStart & Partial<Pick<FullCore, 'acceptShrink' | 'repeat'>>

/** A full sync before its first step. */
export function newRun({ acceptShrink = false, repeat, ...start }: FullRunStart) {
  const { entity, now } = start
  const plan = planOf(entity, entity.pageSize)
  const split = splitOf(entity, { pageSize: entity.pageSize, now })
  const repeated = repeat === undefined ? {} : { repeat }
  const full = { ...newCore(start), kind: 'full', acceptShrink, plan, split, searches: 0 } as const
  return { ...full, ...repeated } satisfies ActiveRun
}

export function newRepublication({
  acceptShrink,
  republishedFrom,
  ...start
}: RunStart & { readonly acceptShrink: boolean; readonly republishedFrom: string }): ActiveRun {
  const limits = limitsOf(start.entity)
  return { ...newCore(start), kind: 'republication', acceptShrink, republishedFrom, limits }
}

export const limitsOf = ({
  maxShrinkPercent,
  allowEmpty,
}: Pick<EntitySettings, 'maxShrinkPercent' | 'allowEmpty'>): GuardLimits => ({
  ...shrinkLimitsOf(maxShrinkPercent),
  allowEmpty,
})

export function planOf(entity: EntitySettings, pageSize: number): ScrollPlan {
  const { query, idField, pageSize: configuredPageSize, totalTolerancePercent, totals } = entity
  const rules = { totalTolerancePercent, totals, ...limitsOf(entity) }
  return { query, idField, configuredPageSize, pageSize, ...rules }
}

/** How long a run that has ended worked, without the time until it was accepted. In milliseconds. */
export function durationOf(
  run: Pick<Run, 'startedAt'> & { readonly endedAt: string; readonly refusedAt?: string | null | undefined },
): number {
  return Date.parse(run.refusedAt ?? run.endedAt) - Date.parse(run.startedAt)
}

export const isSnapshotRun = (run: Run): run is SnapshotRun => run.kind !== 'increment'

/** The decision by which a run publishes, or has published, what a guard had refused; undefined if it needs none. */
export function acceptanceOf(run: Run): Acceptance | undefined {
  const isPublic = run.status === 'publishing' || run.status === 'published'
  return isPublic && isSnapshotRun(run) ? run.accepted : undefined
}

/** How a run splits its entity; undefined if it does not scroll the whole of it. */
export const splitOfRun = (run: Run): Split | undefined => (run.kind === 'full' ? run.split : undefined)

/** The ranges that a run scrolls; none before they are planned. */
export function rangesOfRun(run: Run): readonly RangeState[] {
  const split = splitOfRun(run)
  return split ? rangesOf(split) : []
}

export const highestAttempt = (run: Run) => Math.max(1, ...rangesOfRun(run).map(({ attempt }) => attempt))

/** True if a page of one of its ranges may be missing. */
export const isSuspect = (run: Run) => rangesOfRun(run).some(({ suspect }) => suspect)

/** The smallest `_size` that one of its ranges needed. */
export function smallestPageSize({ split, plan }: ActiveFullRun): number {
  return Math.min(plan.pageSize, ...rangesOf(split).map(({ pageSize }) => pageSize))
}

export function hasEnded<R extends Run>(run: R): run is Extract<R, { readonly status: EndedStatus }>
export function hasEnded(run: { readonly status: RunStatus }): boolean
export function hasEnded(run: { readonly status: RunStatus }): boolean {
  return (endedStatuses as readonly string[]).includes(run.status)
}

export const runIdPattern = /^\d{8}T\d{9}Z-[0-9a-f]{12}$/

/** A new run's id: its time and a random part. It sorts by time as text, and suits keys, URLs and names. */
export function newRunId(now: number): string {
  return runId(now, randomBytes(6).toString('hex'))
}

/** The id of the run that an execution drives: the same for each of its steps. */
export function runIdOfExecution(execution: { readonly id: string; readonly startedAt: number }): string {
  return runId(execution.startedAt, shortHash(execution.id))
}

/** The id of the run that begins at `dueAt` (epoch milliseconds) since `after` failed. */
export function runIdOfRepeat({ after, dueAt }: { readonly after: string; readonly dueAt: number }): string {
  return runId(dueAt, shortHash(after))
}

function runId(time: number, suffix: string): string {
  return `${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-${suffix}`
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)
