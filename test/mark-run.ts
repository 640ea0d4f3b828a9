import { itemVersion } from '../functions/state/item-version.ts'
import type { Acceptance } from '../functions/state/run/run.ts'
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
