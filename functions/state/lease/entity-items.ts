import { itemVersion, type Key } from '../item-version.ts'
import type { ScrollPosition } from '../pages/page.ts'
import type { Latest } from '../snapshots/manifest.ts'
import type { StateTable } from '../table.aws.ts'
import { type Lease, LeaseLost } from './lease.ts'

export interface EntityState {
  readonly lease?: Lease
  readonly latest?: Latest
  /** Runs whose workers are gone and that are not settled yet. */
  readonly abandonedRuns?: readonly string[]
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
      seen: Lease | undefined,
      { lease, abandonedRuns }: { lease: Lease; abandonedRuns: readonly string[] },
    ): Promise<boolean> {
      return table.update(entityKey(entity), {
        change: 'SET #lease = :lease, #abandonedRuns = :abandonedRuns, #version = :version',
        condition: seen
          ? '#lease.#runId = :seenRun AND #lease.#worker = :seenWorker AND #lease.#until = :seenUntil'
          : 'attribute_not_exists(#lease)',
        names: {
          '#lease': 'lease',
          '#abandonedRuns': 'abandonedRuns',
          '#version': 'version',
          ...(seen && { '#runId': 'runId', '#worker': 'worker', '#until': 'until' }),
        },
        values: {
          ':lease': lease,
          ':abandonedRuns': abandonedRuns,
          ':version': itemVersion,
          ...(seen && { ':seenRun': seen.runId, ':seenWorker': seen.worker, ':seenUntil': seen.until }),
        },
      })
    },

    /** Clears the list of abandoned runs, if the worker still has the lease. */
    async clearAbandonedRuns(entity: string, worker: string): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'REMOVE #abandonedRuns',
        condition: '#lease.#worker = :worker',
        names: { '#abandonedRuns': 'abandonedRuns', '#lease': 'lease', '#worker': 'worker' },
        values: { ':worker': worker },
      })
    },

    /**
     * Extends the lease or marks it as handed off, and records the progress of its run. Throws `LeaseLost` if another
     * worker has it.
     */
    async renewLease(entity: string, lease: Lease, scrolls: readonly RecordedScroll[]): Promise<void> {
      const { worker, runId } = lease
      const isOwner = await table.update(entityKey(entity), {
        change: 'SET #lease = :lease, #progress = :progress',
        condition: '#lease.#worker = :worker AND #lease.#runId = :runId',
        names: { '#lease': 'lease', '#progress': 'progress', '#worker': 'worker', '#runId': 'runId' },
        values: { ':lease': lease, ':progress': { runId, scrolls }, ':worker': worker, ':runId': runId },
      })
      if (!isOwner) throw new LeaseLost('Another worker owns the lease.')
    },

    async releaseLease(entity: string, runId: string): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'REMOVE #lease, #progress',
        condition: '#lease.#runId = :runId',
        names: { '#lease': 'lease', '#progress': 'progress', '#runId': 'runId' },
        values: { ':runId': runId },
      })
    },

    /** Records what is published, unless a newer snapshot is. */
    async setLatest(entity: string, latest: Latest): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'SET #latest = :latest, #version = :version',
        condition: 'attribute_not_exists(#latest) OR #latest.#runId <= :runId',
        names: { '#latest': 'latest', '#runId': 'runId', '#version': 'version' },
        values: { ':latest': latest, ':runId': latest.runId, ':version': itemVersion },
      })
    },

    async setPageSize(entity: string, pageSize: RememberedPageSize): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'SET #pageSize = :pageSize, #version = :version',
        names: { '#pageSize': 'pageSize', '#version': 'version' },
        values: { ':pageSize': pageSize, ':version': itemVersion },
      })
    },
  }
}
