import type { TableClient } from './dynamodb/requests.ts'
import { openTable, randomPause } from './dynamodb/state-table.ts'
import { createEntityItems } from './entity-items.ts'
import { createPageItems } from './pages/page-items.ts'
import { createRunItems } from './run/run-items.ts'
import { createSlots } from './slots/slots.ts'

/** The state of all syncs, in one DynamoDB table. Every write that two workers could make is conditional. */
export type StateStore = ReturnType<typeof createStateStore>

export function createStateStore(client: TableClient, pause = randomPause) {
  const table = openTable(client, pause)
  const entities = createEntityItems(table)
  const slots = createSlots(table, pause)

  return {
    ...entities,
    ...createRunItems(table),
    ...createPageItems(table),
    ...slots,

    /** Frees the slots of a run that has ended, then its entity. */
    async release(entity: string, runId: string): Promise<void> {
      await slots.releaseSlots(runId)
      await entities.releaseLease(entity, runId)
    },
  }
}
