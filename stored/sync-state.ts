import { openTable, randomPause, type TableClient } from './dynamodb/state-table.ts'
import { createEntityItems, type LeaseOwner } from './entity-items.ts'
import { createPageItems } from './pages/page-items.ts'
import { isSnapshotRun, type Run, type SnapshotRun } from './run/run.ts'
import { createRunItems } from './run/run-items.ts'
import { createSlots, type Waker } from './slots/slots.ts'

/** The state of all syncs, in one DynamoDB table. Every write that two workers could make is conditional. */
export type StateStore = ReturnType<typeof createStateStore>

export function createStateStore(client: TableClient, pause = randomPause, waker?: Waker) {
  const table = openTable(client, pause)
  const entities = createEntityItems(table)
  const slots = createSlots(table, { pause, waker })
  const runs = createRunItems(table)

  /** A worker that crashes before this leaves the beginning to the next failure. */
  async function recordFailure(run: Run): Promise<void> {
    const { status, entity } = run
    if ((status === 'failed' || status === 'refused') && isSnapshotRun(run))
      await entities.recordFailure(entity, { status, endedAt: run.endedAt })
  }

  return {
    ...entities,
    ...runs,
    ...createPageItems(table),
    ...slots,

    async createRun(run: Run): Promise<boolean> {
      const isNew = await runs.createRun(run)
      if (isNew) await recordFailure(run)
      return isNew
    },

    async writeRun<R extends SnapshotRun>(run: R): Promise<R> {
      const written = await runs.writeRun(run)
      await recordFailure(run)
      return written
    },

    async endRun(...args: Parameters<typeof runs.endRun>): Promise<boolean> {
      const hasEnded = await runs.endRun(...args)
      if (hasEnded) await recordFailure(args[0])
      return hasEnded
    },

    /** Frees the slots of a run that has ended, then its entity. */
    async release(entity: string, runId: string, of?: LeaseOwner): Promise<void> {
      await slots.releaseSlots(runId)
      await entities.releaseLease(entity, runId, of)
    },
  }
}
