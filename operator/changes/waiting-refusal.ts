import { chainSnapshotRun, comparedSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { RefusedChanges } from '../../stored/changes/changes.ts'

/** What the comparison of a run refused, while it waits for a decision: until a full set has moved the chain. */
export async function readWaitingRefusal(
  changes: Pick<ChangeSetStore, 'readLatest' | 'readRefused'>,
  entity: string,
  runId: string,
): Promise<RefusedChanges | undefined> {
  const refused = await changes.readRefused(entity, runId)
  if (!refused) return undefined
  const chain = await changes.readLatest(entity)
  return chain && chainSnapshotRun(chain.value) === comparedSnapshotRun(refused) ? refused : undefined
}
