import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientLimits } from '../runtime/client-limits.ts'
import { itemVersion, type Key } from './item-version.ts'
import type { Lease } from './lease.ts'
import type { Latest } from './manifest.ts'
import type { CommittedPage, Position } from './page.ts'
import { type ActiveStatus, activeStatuses, hasEnded, type Run } from './run.ts'
import { createSlots } from './slots.ts'
import { openTable } from './table.aws.ts'

/** Somebody else works on this run now, or it has ended: this worker must stop. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface EntityState {
  readonly lease?: Lease
  readonly latest?: Latest
  /** Runs that were left behind, whose end is yet to be settled. */
  readonly abandonedRuns?: readonly string[]
  /** The `_size` that worked when the configured one was too much. */
  readonly pageSize?: number
}

/** The state of all syncs, in one DynamoDB table. Every write that two workers could make is conditional. */
export type StateStore = ReturnType<typeof createStateStore>

/** Finished runs and their pages stay for 30 days. */
const keptSeconds = 30 * 24 * 60 * 60

export function createStateStore(tableName: string, client = new DynamoDBClient(clientLimits.table)) {
  const table = openTable(tableName, client)
  const entityKey = (entity: string): Key => ({ pk: `entity#${entity}`, sk: 'entity' })
  const runKey = (entity: string, runId: string): Key => ({ pk: `entity#${entity}`, sk: `run#${runId}` })
  const pagesKey = (runId: string, attempt: number) => `run#${runId}#${attempt}`
  const slots = createSlots(table)

  return {
    ...slots,

    async readEntity(entity: string): Promise<EntityState> {
      return (await table.get<EntityState>(entityKey(entity))) ?? {}
    },

    /**
     * Replaces the lease that was seen (or its absence), and notes which runs are left to settle then. False if the
     * lease has changed since.
     */
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

    /** Notes that no run is left to settle, if the worker still has the lease. */
    async clearAbandonedRuns(entity: string, worker: string): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'REMOVE #abandonedRuns',
        condition: '#lease.#worker = :worker',
        names: { '#abandonedRuns': 'abandonedRuns', '#lease': 'lease', '#worker': 'worker' },
        values: { ':worker': worker },
      })
    },

    /** Moves the lease's end, and says whether its worker goes on. Throws `LeaseLost` if another worker has it. */
    async renewLease(entity: string, lease: Lease): Promise<void> {
      const held = await table.update(entityKey(entity), {
        change: 'SET #lease = :lease',
        condition: '#lease.#worker = :worker AND #lease.#runId = :runId',
        names: { '#lease': 'lease', '#worker': 'worker', '#runId': 'runId' },
        values: { ':lease': lease, ':worker': lease.worker, ':runId': lease.runId },
      })
      if (!held) throw new LeaseLost('Another worker holds the lease.')
    },

    /**
     * Frees what a run that has ended still holds: its place among the concurrent syncs, then its entity. A worker
     * that died before it let go must not keep others waiting.
     */
    async release(entity: string, runId: string): Promise<void> {
      await slots.releaseSlot(runId)
      await table.update(entityKey(entity), {
        change: 'REMOVE #lease',
        condition: '#lease.#runId = :runId',
        names: { '#lease': 'lease', '#runId': 'runId' },
        values: { ':runId': runId },
      })
    },

    async setLatest(entity: string, latest: Latest): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'SET #latest = :latest',
        condition: 'attribute_not_exists(#latest) OR #latest.#runId <= :runId',
        names: { '#latest': 'latest', '#runId': 'runId' },
        values: { ':latest': latest, ':runId': latest.runId },
      })
    },

    async setPageSize(entity: string, pageSize: number): Promise<void> {
      await table.update(entityKey(entity), {
        change: 'SET #pageSize = :pageSize',
        names: { '#pageSize': 'pageSize' },
        values: { ':pageSize': pageSize },
      })
    },

    readRun(entity: string, runId: string): Promise<Run | undefined> {
      return table.get<Run>(runKey(entity, runId))
    },

    /** False if a run of this id is there already. */
    createRun(run: Run): Promise<boolean> {
      return table.put(runItem(run), { condition: 'attribute_not_exists(pk)' })
    },

    /** Writes a run that is under way, if nobody has written it since it was read. Throws `LeaseLost`. */
    async writeRun(run: Run): Promise<Run> {
      const next = { ...run, revision: run.revision + 1 }
      const { condition, names, values } = statusIn(activeStatuses)
      const held = await table.put(runItem(next), {
        condition: `${condition} AND #revision = :revision`,
        names: { ...names, '#revision': 'revision' },
        values: { ...values, ':revision': run.revision },
      })
      if (held) return next
      // The write may be our own, repeated by the client after its answer was lost.
      const there = await table.get<Run>(runKey(run.entity, run.runId))
      if (there?.worker === next.worker && there?.revision === next.revision) return next
      throw new LeaseLost('The run has ended, or another worker works on it.')
    },

    /** Ends a run from outside its worker. False if it has ended already or is in a status that is not in `from`. */
    endRun(run: Run, from: readonly ActiveStatus[]): Promise<boolean> {
      // Without its worker, who must not take this write for one of its own.
      const item = runItem({ ...run, worker: undefined, revision: run.revision + 1 })
      return table.put(item, statusIn(from))
    },

    /** The entity's runs, the newest first. */
    async listRuns(entity: string, limit: number): Promise<Run[]> {
      const range = { prefix: 'run#', newestFirst: true, limit, consistent: false }
      const runs: Run[] = []
      for await (const run of table.query<Run>(`entity#${entity}`, range)) runs.push(run)
      return runs
    },

    /** Commits a page after the one before. Throws `LeaseLost` if that page is committed already, by another. */
    async commitPage(run: Run, page: CommittedPage, now: number): Promise<void> {
      const key: Key = { pk: pagesKey(run.runId, run.attempt), sk: pageSortKey(page.page) }
      const item = { ...page, ...key, expiresAt: Math.floor(now / 1000) + keptSeconds }
      if (await table.put(item, { condition: 'attribute_not_exists(pk)' })) return
      // The write may be our own, repeated by the client after its answer was lost.
      const there = await table.get<CommittedPage>(key)
      if (there?.key !== page.key) throw new LeaseLost(`Another worker committed page ${page.page}.`)
    },

    /** Where an attempt stands; undefined before its first page. */
    async lastPage(runId: string, attempt: number): Promise<Position | undefined> {
      const newest = table.query<CommittedPage>(pagesKey(runId, attempt), { newestFirst: true, limit: 1 })
      for await (const page of newest) return asCommitted(page)
      return undefined
    },

    /** All pages of an attempt in their order, without the mark of its end. */
    async *pages(runId: string, attempt: number): AsyncGenerator<CommittedPage> {
      for await (const page of table.query<CommittedPage>(pagesKey(runId, attempt))) {
        if (!page.end) yield asCommitted(page)
      }
    },
  }
}

function runItem(run: Run): Key & object {
  const ended = hasEnded(run) && run.endedAt
  return {
    ...run,
    pk: `entity#${run.entity}`,
    sk: `run#${run.runId}`,
    ...(ended && { expiresAt: Math.floor(Date.parse(ended) / 1000) + keptSeconds }),
  }
}

/** Holds if the run has one of these statuses. */
function statusIn(statuses: readonly ActiveStatus[]) {
  const values = Object.fromEntries(statuses.map((status, index) => [`:status${index}`, status]))
  return {
    condition: `#status IN (${Object.keys(values).join(', ')})`,
    names: { '#status': 'status' },
    values,
  }
}

/** Attributes that are undefined are not stored, and bytes come back as no Buffer. */
function asCommitted(page: CommittedPage): CommittedPage {
  return { ...page, token: page.token, total: page.total, fingerprints: Buffer.from(page.fingerprints ?? []) }
}

/** Sorts as the number does, up to a million pages; a partition would become a prefix of it. */
function pageSortKey(page: number): string {
  return `page#${String(page).padStart(6, '0')}`
}
