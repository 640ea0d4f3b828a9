import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { awsClients } from '../../operator/aws/clients.aws.ts'
import { type Deployment, longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { requireRun } from '../../operator/logs/run.ts'
import { findRefusal, type Refusal, type RefusalStores } from '../../operator/review/refusal.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'

export function openRefusals({ bucket }: Pick<Deployment, 'bucket'>): RefusalStores {
  const client = awsClients.bucket()
  return { snapshots: createSnapshotStore(bucket, client), changes: createChangeSetStore(bucket, client) }
}

/** What was refused in a run, or in the last run of an entity. Throws `CommandError`. */
export async function requireRefusal(
  deployment: Deployment,
  { word, target, terminal }: { word: string; target: Target; terminal: Terminal },
): Promise<Refusal> {
  const { configuration } = deployment
  const run = await requireRun(word, { configuration, syncs: openSyncs(deployment, terminal), target })
  const refusal = await findRefusal(openRefusals(deployment), run)
  if (refusal) return refusal
  const { entity, runId, status } = run
  throw new CommandError(
    status === 'refused'
      ? `The refused snapshot of run ${runId} is gone: it is kept for 30 days, of the newest seven refused runs, and until a newer run publishes.`
      : `Nothing waits for a decision in run ${runId} of ${entity}: its status is ${status}, and no guard refuses its change set.`,
    { fix: longshoreCommand(target, `runs ${entity}`) },
  )
}
