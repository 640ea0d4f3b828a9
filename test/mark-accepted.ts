import { itemVersion } from '../functions/state/item-version.ts'
import type { MemoryDynamoDb } from './simulation/stores/memory-dynamodb.ts'

/** Lets the run's item have that a person accepted its snapshot together with its change set. */
export function markAccepted(table: MemoryDynamoDb, runId: string, by: string): void {
  const accepted = { by, withChanges: true }
  const key = { pk: 'entity#CL', sk: `run#${runId}` }
  table.writeNow({
    kind: 'put',
    condition: {},
    item: { ...key, version: itemVersion, kind: 'full', status: 'published', accepted },
  })
}
