import { createHash, randomBytes } from 'node:crypto'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { Progress } from '../pages/page.ts'
import { type PartitionResult, type Partitions, unplanned } from './partitions.ts'
import type { Proof } from './proof.ts'
import type { RetryState } from './retry-state.ts'

export const activeStatuses = ['running', 'waiting', 'publishing'] as const
/** A run that is `publishing` may have moved `latest.json`: only its publication can end it. */
export const cancellableStatuses = ['running', 'waiting'] as const
export const endedStatuses = ['published', 'refused', 'failed', 'cancelled', 'skipped'] as const
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

/** What a run is in every state. */
export interface RunCore {
  readonly runId: string
  readonly entity: string
  readonly startedAt: string
  readonly updatedAt: string
  readonly attempt: number
  readonly attemptStartedAt: string
  /** True if the outcome of a request of this attempt is unknown, so that a page may be missing. */
  readonly suspect: boolean
  readonly acceptShrink: boolean
  readonly plan: ScrollPlan
  readonly partitions: Partitions
  /** ARN of the state machine's execution; undefined if the worker is invoked directly. */
  readonly execution: string | undefined
  /** The invocation that works on the run. */
  readonly worker: string | undefined
  /** Counts the writes of the item. A write takes effect only if its writer has read the write before it. */
  readonly revision: number
  /** Of this attempt. */
  readonly retryState: RetryState | undefined
  readonly crashes: Crashes | undefined
  /** Unique ids of the earlier attempts that were not suspect. */
  readonly cleanCounts: readonly number[]
  /** Scroll requests and the bytes of their answers. What a crashed worker counted is missing. */
  readonly requests: number
  readonly receivedBytes: number
  /** Requests that brought no page, by status or kind of failure. */
  readonly faults: Readonly<Record<string, number>>
}

/**
 * What a run scrolls: the configuration of the worker that received its first page. A later deployment changes nothing
 * about it, since pages of two queries or ids of two fields prove nothing together.
 */
export interface ScrollPlan {
  readonly query: EntitySettings['query']
  readonly idField: string
  readonly configuredPageSize: number
  /** The `_size` of the next first request. */
  readonly pageSize: number
}

/** Consecutive workers that crashed without committing a page, and the page at which they did. */
export interface Crashes {
  readonly count: number
  readonly attempt: number
  readonly page: number
}

type ActiveState = { readonly status: 'running' } | Waiting | Publishing

interface Waiting {
  readonly status: 'waiting'
  readonly reason: string
}

interface Publishing {
  readonly status: 'publishing'
  readonly result: RunResult
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
  /** Key of the manifest. */
  readonly manifest: string
}

interface Unpublished {
  readonly status: 'refused' | 'failed' | 'cancelled' | 'skipped'
  /** Why nothing was published, and what to do about it. */
  readonly reason: string
}

/** What the proof found: the manifest without its pages. */
export interface RunResult {
  readonly proof: Proof
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: number
  readonly reportedTotal: number | null
  readonly pageSize: number
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
  readonly runId: string
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
  readonly execution: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** A run before its first step. */
export function newRun({ runId, entity, acceptShrink, execution, now }: RunStart): ActiveRun {
  const time = new Date(now).toISOString()
  return {
    runId,
    entity: entity.name,
    status: 'running',
    startedAt: time,
    updatedAt: time,
    attempt: 1,
    attemptStartedAt: time,
    suspect: false,
    acceptShrink,
    plan: planOf(entity, entity.pageSize),
    partitions: unplanned(entity),
    execution,
    worker: undefined,
    revision: 0,
    retryState: undefined,
    crashes: undefined,
    cleanCounts: [],
    requests: 0,
    receivedBytes: 0,
    faults: {},
  }
}

export function planOf({ query, idField, pageSize: configuredPageSize }: EntitySettings, pageSize: number) {
  return { query, idField, configuredPageSize, pageSize } satisfies ScrollPlan
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
