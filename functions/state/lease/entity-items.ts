import type { Key } from '../item-version.ts'
import type { ScrollPosition } from '../pages/page.ts'
import type { Latest } from '../snapshots/manifest.ts'
import { absent, absentOrAtMost, equal } from '../table/requests.ts'
import type { StateTable } from '../table/table.ts'
import { type Lease, LeaseLost } from './lease.ts'

export interface EntityState {
  readonly lease?: Lease
  readonly latest?: Latest
  /** Runs whose workers are gone and that are not settled yet. */
  readonly abandonedRuns?: readonly string[]
  /** The newest runs that had the lease, newest first: the list of all entities reads them by key. */
  readonly recentRuns?: readonly string[]
  readonly pageSize?: RememberedPageSize
  readonly progress?: RecordedProgress
}

/** How far the run of the lease was when the lease was last extended. */
export interface RecordedProgress {
  readonly runId: string
  readonly scrolls: readonly RecordedScroll[]
}

export interface RecordedScroll extends ScrollPosition {
  /** Undefined if the entity is scrolled without partitions. */
  readonly range: number | undefined
  readonly attempt: number
}

/** The `_size` that the next run begins with, unless another one has been configured since. */
export interface RememberedPageSize {
  readonly next: number
  readonly configured: number
}

/** As many as the list of all entities shows. */
const maxRecentRuns = 3

const entityKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'entity' })

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

    /** Replaces the lease that was seen, or its absence. False if the lease has changed since. */
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
      const isUnchanged = seen
        ? {
            'lease.runId': equal(seen.runId),
            'lease.worker': equal(seen.worker),
            'lease.until': equal(seen.until),
          }
        : { lease: absent }
      return table.update(entityKey(entity), { set: { lease, abandonedRuns, recentRuns } }, isUnchanged)
    },

    /** Clears the list of abandoned runs, if the worker still has the lease. */
    async clearAbandonedRuns(entity: string, worker: string): Promise<void> {
      const isOwner = { 'lease.worker': equal(worker) }
      await table.update(entityKey(entity), { remove: ['abandonedRuns'] }, isOwner)
    },

    /**
     * Extends the lease or marks it as handed off, and records the progress of its run. Throws `LeaseLost` if another
     * worker has it.
     */
    async renewLease(entity: string, lease: Lease, scrolls: readonly RecordedScroll[]): Promise<void> {
      const { worker, runId } = lease
      const set = { lease, progress: { runId, scrolls } }
      const isOwner = { 'lease.worker': equal(worker), 'lease.runId': equal(runId) }
      if (await table.update(entityKey(entity), { set }, isOwner)) return
      throw new LeaseLost('Another worker owns the lease.')
    },

    async releaseLease(entity: string, runId: string): Promise<void> {
      const isOwner = { 'lease.runId': equal(runId) }
      await table.update(entityKey(entity), { remove: ['lease', 'progress'] }, isOwner)
    },

    /** Records what is published, unless a newer snapshot is. */
    async setLatest(entity: string, latest: Latest): Promise<void> {
      const isNewest = { 'latest.runId': absentOrAtMost(latest.runId) }
      await table.update(entityKey(entity), { set: { latest } }, isNewest)
    },

    async setPageSize(entity: string, pageSize: RememberedPageSize): Promise<void> {
      await table.update(entityKey(entity), { set: { pageSize } })
    },
  }
}
