import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import type { Deployment, Target } from '../../operator/deployment/deployment.ts'
import { requireRun } from '../../operator/logs/run-logs.ts'
import { findRefusal, type RefusalStores, type ReviewedRefusal } from '../../operator/review/refusal.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'
import { nothingRefused } from './nothing-refused.ts'

export function openRefusals({ bucket }: Pick<Deployment, 'bucket'>): RefusalStores {
  const client = awsClients.bucket()
  return {
    snapshots: createSnapshotStore(bucket, client),
    changes: createChangeSetStore(bucket, client),
  }
}

/** What was refused in a run, or in the last run of an entity. Throws `CommandError`. */
export async function requireRefusal(
  deployment: Deployment,
  { word, target, terminal }: { word: string; target: Target; terminal: Terminal },
): Promise<ReviewedRefusal> {
  const { configuration } = deployment
  const run = await requireRun(word, { configuration, syncs: openSyncs(deployment, terminal), target })
  const refusal = await findRefusal(openRefusals(deployment), run)
  if (refusal) return refusal
  throw nothingRefused(run, target)
}
