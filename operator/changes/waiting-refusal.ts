import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import type { RefusedChanges } from '../../functions/state/changes/changes.ts'

/** What the comparison of a run refused, while it waits for a decision: until the chain has moved on. */
export async function readWaitingRefusal(
  changes: Pick<ChangeSetStore, 'readLatest' | 'readRefused'>,
  entity: string,
  runId: string,
): Promise<RefusedChanges | undefined> {
  const refused = await changes.readRefused(entity, runId)
  if (!refused) return undefined
  const chain = await changes.readLatest(entity)
  return chain?.value.tip === refused.base ? refused : undefined
}
