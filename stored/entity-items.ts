import { absent, absentOrAtMost, type Condition, equal, type StateTable } from './dynamodb/state-table.ts'
import type { Key } from './item-version.ts'
import { type Lease, LeaseLost } from './lease.ts'
import type { RecordedProgress } from './pages/page.ts'
import type { Pause } from './pause.ts'
import type { FailureCause } from './run/run.ts'
import type { Latest } from './snapshots/manifest.ts'
import type { WithoutId } from './snapshots/without-id.ts'

export interface EntityState {
  readonly lease?: Lease
  readonly latest?: Latest
  /** Null if every document has an id; absent before the first publication by 1.2.0 or later. */
  readonly withoutId?: WithoutId | null
  /** Runs whose workers are gone and that are not settled yet. */
  readonly abandonedRuns?: readonly string[]
  /** The newest runs that had the lease, newest first: the list of all entities reads them by key. */
  readonly recentRuns?: readonly string[]
  readonly pageSize?: RememberedPageSize
  readonly progress?: RecordedProgress
  /** The scroll of an increment that is open at the platform, or may be. */
  readonly incrementScroll?: OpenIncrementScroll
  readonly increments?: IncrementStatus
  /** When the first run after the last publication failed, or was refused. ISO 8601; unknown of 1.0.0. */
  readonly failedSince?: string
  readonly refusedSince?: string
  /** The last change set that a person accepted. Versions before 1.1.0 do not know it, and leave it. */
  readonly acceptedChanges?: AcceptedChanges
  /** When the last complete pass of erasure over its snapshots and change sets began, and over its tables. ISO 8601. */
  readonly erasedAt?: string
  readonly tablesErasedAt?: string
  /** The last pause, which may be over. Versions before 1.1.0 do not know it, and leave it. */
  readonly pause?: Pause
}

export type ErasureTime = 'erasedAt' | 'tablesErasedAt'

export interface OpenIncrementScroll {
  readonly runId: string
  /** Epoch milliseconds. Its token has expired then. */
  readonly until: number
}

/** A person's decision to publish what the comparison of a run refused, and the name of the execution that does. */
export interface AcceptedChanges {
  readonly runId: string
  readonly by: string
  readonly execution: string
  /** Of the refusal that was reviewed; absent if that is not known. */
  readonly refusedAt?: string | undefined
}

/** What is known of an entity's increments, for callers and alarms. Times are ISO 8601. */
export interface IncrementStatus {
  /** The last successful window; absent before the first. */
  readonly window?: { readonly from: string; readonly to: string }
  /** The last increment that began. */
  readonly last: LastIncrement
  /** When the first one after the last success failed; absent if none has, and unknown of 1.0.0. */
  readonly failedSince?: string
  /** How many have failed since then; absent if none has, or if older versions did not count the first. */
  readonly failures?: number
  /** Records of the last day by their hour, such as `2026-03-01T10`. */
  readonly records: Readonly<Record<string, number>>
}

export interface LastIncrement {
  readonly runId: string
  readonly status: 'published' | 'failed' | 'skipped'
  /** Null if it succeeded. */
  readonly reason: string | null
  /** Only if it was skipped, and not for callers. */
  readonly code?: SkipCode
  /** Only if it failed. Absent if nothing more is known, and from increments of 1.0.0. */
  readonly cause?: FailureCause
  readonly endedAt: string
}

/** Why an increment was skipped, whatever numbers and names its reason contains. */
export type SkipCode =
  | 'not-configured'
  | 'entity-busy'
  | 'paused'
  | 'changes-off'
  | 'no-change-set'
  | 'chain-resets'
  | 'chain-moved'
  | 'comparing'
  | 'snapshot-gone'
  | 'republished'
  | 'query-changed'
  | 'id-field-changed'
  | 'ignore-changed'
  | 'no-slot'
  | 'no-credentials'
  | 'too-many-changes'
  | 'full-sync-began'

/** The `_size` that the next run begins with, unless another one has been configured since. */
export interface RememberedPageSize {
  readonly next: number
  readonly configured: number
}

export interface ErasurePass {
  /** ISO 8601. */
  readonly beganAt: string
  readonly isConfigured: boolean
}

/** As many as the list of all entities shows. */
const maxRecentRuns = 3

const entityKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'entity' })

function unchangedLease(seen: Lease | undefined): Condition {
  if (!seen) return { lease: absent }
  const { runId, worker, until } = seen
  return { 'lease.runId': equal(runId), 'lease.worker': equal(worker), 'lease.until': equal(until) }
}

/**
 * Whose lease of a run is released: the run's own by default, and not that of its acceptance, which may have it as soon as
 * the run has ended.
 */
export type LeaseOwner = 'run' | 'run-or-acceptance' | Pick<Lease, 'worker'>

function ownerCondition(of: LeaseOwner): Condition {
  if (of === 'run') return { 'lease.accepts': absent }
  return of === 'run-or-acceptance' ? {} : { 'lease.worker': equal(of.worker) }
}

/** One item per entity: who works on it, and what is published. */
export function createEntityItems(table: StateTable) {
  return {
    async readEntity(entity: string): Promise<EntityState> {
      return (await table.get<EntityState>(entityKey(entity))) ?? {}
    },

    /** The states of the entities, in their order. */
    async readEntities(entities: readonly string[]): Promise<EntityState[]> {
      const items = await table.getAll<EntityState>(entities.map(entityKey))
      return items.map((item) => item ?? {})
    },

    /**
     * Replaces the lease that was seen, or its absence. False if the lease has changed since. Increments are no recent
     * runs, and settle none.
     */
    claimLease(
      entity: string,
      { lease: seen, recentRuns: recent = [] }: Pick<EntityState, 'lease' | 'recentRuns'>,
      { lease, abandonedRuns }: { lease: Lease; abandonedRuns: readonly string[] },
    ): Promise<boolean> {
      // A run that was accepted has the lease again, after newer ones.
      const recentRuns = [...new Set([lease.runId, ...recent])]
        .toSorted()
        .toReversed()
        .slice(0, maxRecentRuns)
      const set = lease.kind === 'increment' ? { lease } : { lease, abandonedRuns, recentRuns }
      return table.update(entityKey(entity), { set }, unchangedLease(seen))
    },

    /** Clears the list of abandoned runs, if the worker still has the lease. */
    async clearAbandonedRuns(entity: string, worker: string): Promise<void> {
      const isOwner = { 'lease.worker': equal(worker) }
      await table.update(entityKey(entity), { remove: ['abandonedRuns'] }, isOwner)
    },

    /** Extends the lease or marks it as handed off, and records what its run scrolls. Throws `LeaseLost`. */
    async renewLease(
      entity: string,
      lease: Lease,
      scrolls: Pick<EntityState, 'progress' | 'incrementScroll'>,
    ): Promise<void> {
      const isOwner = { 'lease.worker': equal(lease.worker), 'lease.runId': equal(lease.runId) }
      if (await table.update(entityKey(entity), { set: { lease, ...scrolls } }, isOwner)) return
      throw new LeaseLost('Another run or worker took the lease.')
    },

    /** Replaces the acceptance that was seen, or its absence. False if it has changed since. */
    acceptChanges(
      entity: string,
      { seen, acceptance }: { seen: AcceptedChanges | undefined; acceptance: AcceptedChanges },
    ): Promise<boolean> {
      const isUnchanged = { 'acceptedChanges.execution': seen ? equal(seen.execution) : absent }
      return table.update(entityKey(entity), { set: { acceptedChanges: acceptance } }, isUnchanged)
    },

    async closeIncrementScroll(entity: string, runId: string): Promise<void> {
      const isOwn = { 'incrementScroll.runId': equal(runId) }
      await table.update(entityKey(entity), { remove: ['incrementScroll'] }, isOwn)
    },

    /** Records how an increment ended, unless a later one has: it may have begun when the lease of this one had ended. */
    async setIncrements(entity: string, increments: IncrementStatus): Promise<void> {
      const isLast = { 'increments.last.runId': absentOrAtMost(increments.last.runId) }
      await table.update(entityKey(entity), { set: { increments } }, isLast)
    },

    /** Frees the entity if the run has its lease. */
    async releaseLease(entity: string, runId: string, of: LeaseOwner = 'run'): Promise<void> {
      const isOwner = { 'lease.runId': equal(runId), ...ownerCondition(of) }
      await table.update(entityKey(entity), { remove: ['lease', 'progress'] }, isOwner)
    },

    /** Records what is published, and its documents without an id if it has any, unless a newer snapshot is published. */
    async setLatest(
      entity: string,
      latest: Latest,
      missing?: Pick<WithoutId, 'documents' | 'idField'>,
    ): Promise<void> {
      const key = entityKey(entity)
      const before = missing && (await table.get<EntityState>(key))?.withoutId
      const withoutId = missing ? { ...missing, since: before?.since ?? latest.publishedAt } : null
      const isNewest = { 'latest.runId': absentOrAtMost(latest.runId) }
      await table.update(key, { set: { latest, withoutId } }, isNewest)
    },

    /** Records that a run ended so, unless an earlier one has since the last publication. */
    async recordFailure(
      entity: string,
      { status, endedAt }: { readonly status: 'failed' | 'refused'; readonly endedAt: string },
    ): Promise<void> {
      const { latest } = (await table.get<EntityState>(entityKey(entity))) ?? {}
      const attribute = `${status}Since`
      const isFirst = { [attribute]: absentOrAtMost(latest?.publishedAt ?? '') }
      await table.update(entityKey(entity), { set: { [attribute]: endedAt } }, isFirst)
    },

    /** Creates no item of an entity that was removed: its data may have been purged meanwhile. */
    async recordErasure(
      entity: string,
      { of, beganAt, isConfigured }: { readonly of: ErasureTime } & ErasurePass,
    ): Promise<void> {
      const key = entityKey(entity)
      await table.update(key, { set: { [of]: beganAt } }, isConfigured ? {} : { pk: equal(key.pk) })
    },

    async setPause(entity: string, pause: Pause): Promise<void> {
      await table.update(entityKey(entity), { set: { pause } })
    },

    async setPageSize(entity: string, pageSize: RememberedPageSize): Promise<void> {
      await table.update(entityKey(entity), { set: { pageSize } })
    },
  }
}
