import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientLimits } from '../runtime/client-limits.ts'
import { createEntityItems } from './lease/entity-items.ts'
import { createPageItems } from './pages/page-items.ts'
import { createRunItems } from './run/run-items.ts'
import { createScrollSlots } from './slots/scroll-slots.ts'
import { createSlots } from './slots/slots.ts'
import { openTable } from './table.aws.ts'

/** The state of all syncs, in one DynamoDB table. Every write that two workers could make is conditional. */
export type StateStore = ReturnType<typeof createStateStore>

export function createStateStore(tableName: string, client = new DynamoDBClient(clientLimits.table)) {
  const table = openTable(tableName, client)
  const entities = createEntityItems(table)
  const slots = createSlots(table)
  const scrollSlots = createScrollSlots(table)

  return {
    ...entities,
    ...createRunItems(table),
    ...createPageItems(table),
    ...slots,
    ...scrollSlots,

    /** Frees the slots of a run that has ended, then its entity. */
    async release(entity: string, runId: string): Promise<void> {
      await Promise.all([slots.releaseSlot(runId), scrollSlots.releaseScrollSlots(runId)])
      await entities.releaseLease(entity, runId)
    },
  }
}
