import type { EntitySettings } from '../../runtime/settings.ts'
import type { SnapshotLease } from '../lease.ts'
import type { RefusedRun } from '../run/run.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'
import type { ChangeSetStore } from './change-sets.aws.ts'
import { chainSnapshotRun } from './changes-latest.ts'

/**
 * Why the change set of a refused snapshot cannot be accepted with it; undefined if it can. A review compares with the
 * published snapshot and a change set with the chain's, so only if both are the same does the review show the deletes.
 */
export async function whyNotWithChanges(
  stores: {
    readonly snapshots: Pick<SnapshotStore, 'readLatest'>
    readonly changes: Pick<ChangeSetStore, 'readLatest'>
  },
  { name, changes }: Pick<EntitySettings, 'name' | 'changes'>,
  { runId, accepted, endedAt }: Pick<RefusedRun, 'runId' | 'accepted' | 'endedAt'>,
): Promise<string | undefined> {
  const withoutIt = (reason: string) =>
    `${reason} Accept the snapshot of run ${runId} without its change set.`
  if (changes === false) return withoutIt('The entity has no change sets.')
  const [latest, chain] = await Promise.all([
    stores.snapshots.readLatest(name),
    stores.changes.readLatest(name),
  ])
  if (!latest || !chain) return withoutIt('The entity has no change set yet.')
  const published = latest.value
  const compared = chainSnapshotRun(chain.value)
  if (compared !== published.runId)
    return withoutIt(
      `The review compares with the snapshot of run ${published.runId}, and the change set would start from that of run ${compared}.`,
    )
  if (published.publishedAt > (accepted?.refusedAt ?? endedAt))
    return withoutIt(`The snapshot of run ${published.runId} was published after run ${runId} was refused.`)
  return undefined
}

/**
 * Why a snapshot is not accepted with its change set after a person has decided; undefined if that was the decision, or
 * if there is none.
 */
export function whyNotAnymore(
  runId: string,
  decided: Pick<SnapshotLease, 'withChanges'> | undefined,
): string | undefined {
  if (!decided || decided.withChanges) return undefined
  return `The snapshot of run ${runId} was accepted without its change set. If its change set is refused, review and accept that.`
}
