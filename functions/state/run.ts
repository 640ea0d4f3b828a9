import { createHash, randomBytes } from 'node:crypto'
import type { EntitySettings } from '../runtime/settings.ts'
import type { Proof } from './proof.ts'
import type { RetryState } from './retry-state.ts'

export const activeStatuses = ['running', 'waiting', 'publishing'] as const
/** A run that is `publishing` may have moved `latest.json`: only its publication can end it. */
export const cancellableStatuses = ['running', 'waiting'] as const
export const endedStatuses = ['published', 'refused', 'failed', 'cancelled', 'skipped'] as const
export type ActiveStatus = (typeof activeStatuses)[number]
export type EndedStatus = (typeof endedStatuses)[number]
export type RunStatus = ActiveStatus | EndedStatus

/** One sync of one entity, as its item in the state table holds it. Times are ISO 8601 in UTC. */
export interface Run {
  readonly runId: string
  readonly entity: string
  readonly status: RunStatus
  readonly startedAt: string
  readonly updatedAt: string
  readonly endedAt?: string
  readonly attempt: number
  readonly attemptStartedAt: string
  /** True if a page of this attempt may have been lost. */
  readonly suspect: boolean
  /** Why the run waits, or ended without publishing, and what to do about it. */
  readonly reason?: string | undefined
  readonly acceptShrink: boolean
  /** The `_size` for the next first page. */
  readonly pageSize: number
  /** What the run asks for and knows documents by, whatever is configured meanwhile; absent in items of old. */
  readonly scrolls?: Pick<EntitySettings, 'query' | 'idField'>
  /** ARN of the state machine's execution, if one drives the run. */
  readonly execution?: string
  /** The invocation that works on the run. */
  readonly worker?: string | undefined
  /** Counts the writes of the item: a write counts only if it is made on what its writer has read. */
  readonly revision: number
  readonly retryState?: RetryState | undefined
  /** Workers in a row that died without committing a page, and the page at which they did. */
  readonly crashes?: { readonly count: number; readonly attempt: number; readonly page: number }
  /** Unique ids of the attempts that ended clean. */
  readonly cleanCounts: readonly number[]
  /** Scroll requests and the bytes of their answers so far; what a worker counted that died is missing. */
  readonly requests: number
  readonly receivedBytes: number
  /** Requests that brought no page, by what came instead: a status, or a kind of failure. */
  readonly faults: Readonly<Record<string, number>>
  /** What the proof found; set from `publishing` on. */
  readonly result?: RunResult
  readonly documents?: number
  readonly pages?: number
  readonly total?: number
  readonly proof?: Proof
  readonly uniqueIds?: number
  /** True if the run was left behind by its worker and closed by another run. */
  readonly abandoned?: boolean
  /** Key of the published manifest. */
  readonly manifest?: string
}

export interface RunResult {
  readonly proof: Proof
  readonly documents: number
  readonly uniqueIds: number
  readonly finishedAt: string
  readonly spent: Spent
}

/** What a run took. */
export interface Spent {
  readonly requests: number
  readonly receivedBytes: number
  readonly milliseconds: number
}

/** A run as it stands before its first step. `pageSize` is what worked last, if the configured one did not. */
export function newRun(start: {
  runId: string
  entity: EntitySettings
  acceptShrink: boolean
  now: number
  pageSize?: number | undefined
}): Run {
  const time = new Date(start.now).toISOString()
  return {
    runId: start.runId,
    entity: start.entity.name,
    status: 'running',
    startedAt: time,
    updatedAt: time,
    attempt: 1,
    attemptStartedAt: time,
    suspect: false,
    acceptShrink: start.acceptShrink,
    pageSize: Math.min(start.entity.pageSize, start.pageSize ?? start.entity.pageSize),
    scrolls: { query: start.entity.query, idField: start.entity.idField },
    cleanCounts: [],
    revision: 0,
    requests: 0,
    receivedBytes: 0,
    faults: {},
  }
}

/** The entity as the run began to scroll it: pages of two queries or counts of two kinds of ids prove nothing. */
export function asBegun(entity: EntitySettings, { scrolls }: Run): EntitySettings {
  return { ...entity, ...scrolls }
}

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return !isActive(status)
}

/** A new run's id: its time and a random part. Sorts by time as text and may stand in keys, URLs and names. */
export function newRunId(now: number): string {
  return runId(now, randomBytes(6).toString('hex'))
}

/** The id of the run that an execution drives: the same however often its steps are tried. */
export function runIdOfExecution(execution: { readonly id: string; readonly startedAt: number }): string {
  return runId(execution.startedAt, createHash('sha256').update(execution.id).digest('hex').slice(0, 12))
}

export function isActive(status: RunStatus): status is ActiveStatus {
  return (activeStatuses as readonly string[]).includes(status)
}

/** What a run's id looks like. */
export const runIdPattern = /^\d{8}T\d{9}Z-[0-9a-f]{12}$/

function runId(time: number, suffix: string): string {
  return `${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-${suffix}`
}
