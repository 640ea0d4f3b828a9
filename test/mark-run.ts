import type { AcceptedChanges } from '../stored/entity-items.ts'
import { itemVersion } from '../stored/item-version.ts'
import type { Acceptance } from '../stored/run/run.ts'
import type { MemoryDynamoDb } from './simulation/stores/memory-dynamodb.ts'

/** What a person decided about the set of a run. */
type Decision =
  | { readonly accepted: Pick<Acceptance, 'by' | 'withChanges'> }
  | { readonly acceptDeletes: true }

/** Stores the item of a published run with a decision. */
export function markRun(table: MemoryDynamoDb, runId: string, decision: Decision): void {
  const key = { pk: 'entity#CL', sk: `run#${runId}` }
  const run = { version: itemVersion, kind: 'full', status: 'published' }
  table.writeNow({ kind: 'put', condition: {}, item: { ...key, ...run, ...decision } })
}

/** Stores that a person accepted the change set of a run. */
export function markAcceptedSet(table: MemoryDynamoDb, accepted: Omit<AcceptedChanges, 'execution'>): void {
  const acceptedChanges = { ...accepted, execution: 'accepted' }
  const item = { pk: 'entity#CL', sk: 'entity', version: itemVersion, acceptedChanges }
  table.writeNow({ kind: 'put', condition: {}, item })
}
