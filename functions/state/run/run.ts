import { createHash, randomBytes } from 'node:crypto'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { Progress } from '../pages/page.ts'
import type { Proof } from './proof.ts'
import { type PartitionResult, rangesOf, type Split, splitOf } from './split.ts'

export const activeStatuses = ['running', 'waiting', 'publishing'] as const
/** A run that is `publishing` may have moved `latest.json`: only its publication can end it. */
export const cancellableStatuses = ['running', 'waiting'] as const
export const endedStatuses = ['published', 'refused', 'failed', 'cancelled', 'skipped'] as const
/** What may refuse a run: its snapshot, or the change set of its comparison. */
export const guards = ['snapshot', 'changes'] as const
export type Guard = (typeof guards)[number]
export type ActiveStatus = (typeof activeStatuses)[number]
export type EndedStatus = (typeof endedStatuses)[number]
export type RunStatus = ActiveStatus | EndedStatus

/** One sync of one entity, as its item in the state table. Times are ISO 8601 in UTC. */
export type Run = ActiveRun | EndedRun
export type ActiveRun = RunCore & ActiveState
export type PublishingRun = RunCore & Publishing
export type EndedRun = PublishedRun | UnpublishedRun
export type PublishedRun = RunCore & Ended & Published
export type UnpublishedRun = RunCore & Ended & Unpublished
export type RefusedRun = UnpublishedRun & { readonly status: 'refused' }

/** What a run is in every state. */
export interface RunCore {
  /** Absent from a full sync. */
  readonly kind?: 'increment' | undefined
  readonly runId: string
  readonly entity: string
  readonly startedAt: string
  readonly updatedAt: string
  readonly acceptShrink: boolean
  /** The run whose snapshot is published again; absent from a run that scrolls. */
  readonly republishedFrom?: string | undefined
  readonly plan: ScrollPlan
  readonly split: Split
  /** ARN of the state machine's execution; undefined if the worker is invoked directly. */
  readonly execution: string | undefined
  /** The invocation that works on the run. */
  readonly worker: string | undefined
  /** Counts the writes of the item. A write takes effect only if its writer has read the write before it. */
  readonly revision: number
  /** Requests to the platform, searches among them, and the bytes of the responses. What a crashed worker counted is missing. */
  readonly requests: number
  readonly searches: number
  readonly receivedBytes: number
  /** Requests that returned no page, by status or kind of failure. */
  readonly faults: Readonly<Record<string, number>>
  /** Absent before the guards have decided, and from runs of 1.0.0. */
  readonly guarded?: GuardDecision | undefined
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
export interface ScrollPlan {
  readonly query: EntitySettings['query']
  readonly idField: string
  readonly configuredPageSize: number
  /** The `_size` that the run begins with. */
  readonly pageSize: number
  readonly totalTolerancePercent: number
  /** The guards, so that two workers that publish the run make the same decision. */
  readonly maxShrinkPercent: number
  readonly allowEmpty: boolean
}

type ActiveState = { readonly status: 'running' } | Waiting | Publishing

interface Waiting {
  readonly status: 'waiting'
  readonly reason: string
}

interface Publishing {
  readonly status: 'publishing'
  readonly result: RunResult
  /** Absent if the guards decide. */
  readonly accepted?: Acceptance | undefined
}

/** A person's decision to publish what a guard refused. */
export interface Acceptance {
  /** Who decided, as the caller's identity. */
  readonly by: string
  /** Why the guard refused it, and when: the run did nothing from then until it was accepted. */
  readonly refusal: string
  readonly refusedAt: string
}

interface Ended extends Progress {
  readonly endedAt: string
  /** True if its worker was gone and the entity's next run ended it. */
  readonly abandoned: boolean
}

interface Published {
  readonly status: 'published'
  readonly proof: Proof
  readonly uniqueIds: number
  /** Key of the manifest: of its snapshot, or of the change set of an increment. Null if an increment found nothing new. */
  readonly manifest: string | null
  /** Only of an increment. */
  readonly increment?: IncrementResult | undefined
  /** Who accepted it, and when a guard had refused it; absent if none had. */
  readonly by?: string | undefined
  readonly refusedAt?: string | undefined
}

/** What an increment delivered. */
export interface IncrementResult {
  /** Its window, in ISO 8601. */
  readonly from: string
  readonly to: string
  readonly records: number
  readonly older: number
  readonly withoutId: number
}

interface Unpublished {
  readonly status: 'refused' | 'failed' | 'cancelled' | 'skipped'
  /** Why nothing was published, and what to do about it. */
  readonly reason: string
  /** Why the guard refused it, if it was accepted afterwards and could not be published for `reason`. */
  readonly refusal?: string | undefined
}

/** What the proof found: the manifest without its pages. */
export interface RunResult {
  readonly proof: Proof
  readonly documents: number
  readonly uniqueIds: number
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

export interface RunStart {
  readonly kind?: 'increment' | undefined
  readonly runId: string
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
  readonly republishedFrom?: string | undefined
  readonly execution: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** A run before its first step. */
export function newRun({
  kind,
  runId,
  entity,
  acceptShrink,
  republishedFrom,
  execution,
  now,
}: RunStart): ActiveRun {
  const time = new Date(now).toISOString()
  return {
    ...(kind && { kind }),
    runId,
    entity: entity.name,
    status: 'running',
    startedAt: time,
    updatedAt: time,
    acceptShrink,
    republishedFrom,
    plan: planOf(entity, entity.pageSize),
    split: splitOf(entity, { pageSize: entity.pageSize, now }),
    execution,
    worker: undefined,
    revision: 0,
    requests: 0,
    searches: 0,
    receivedBytes: 0,
    faults: {},
  }
}

export function planOf(
  { query, idField, pageSize: configuredPageSize, ...settings }: EntitySettings,
  pageSize: number,
): ScrollPlan {
  const { totalTolerancePercent, maxShrinkPercent, allowEmpty } = settings
  const rules = { totalTolerancePercent, maxShrinkPercent, allowEmpty }
  return { query, idField, configuredPageSize, pageSize, ...rules }
}

/** How long a run that has ended worked, without the time until it was accepted. In milliseconds. */
export function durationOf(
  run: Pick<Run, 'startedAt'> & { readonly endedAt: string; readonly refusedAt?: string | null | undefined },
): number {
  return Date.parse(run.refusedAt ?? run.endedAt) - Date.parse(run.startedAt)
}

export function highestAttempt({ split }: Pick<Run, 'split'>): number {
  return Math.max(1, ...rangesOf(split).map(({ attempt }) => attempt))
}

/** True if a page of one of its ranges may be missing. */
export function isSuspect({ split }: Pick<Run, 'split'>): boolean {
  return rangesOf(split).some(({ suspect }) => suspect)
}

/** The smallest `_size` that one of its ranges needed. */
export function smallestPageSize({ split, plan }: Pick<Run, 'split' | 'plan'>): number {
  return Math.min(plan.pageSize, ...rangesOf(split).map(({ pageSize }) => pageSize))
}

export function hasEnded(run: Run): run is EndedRun
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
  return runId(execution.startedAt, createHash('sha256').update(execution.id).digest('hex').slice(0, 12))
}

/** Epoch milliseconds. */
export function timeOfRunId(id: string): number {
  const [, date, hour, minute, second, ms] = /^(\d{8})T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(id) ?? []
  const day = `${date?.slice(0, 4)}-${date?.slice(4, 6)}-${date?.slice(6, 8)}`
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`)
}

function runId(time: number, suffix: string): string {
  return `${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-${suffix}`
}
