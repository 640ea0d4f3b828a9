import type { RunView } from '../../functions/sync-api/views.ts'
import { openStores } from '../../operator/aws/stores.ts'
import type { Deployment } from '../../operator/deployment/deployment.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { requireRun } from '../../operator/logs/run-logs.ts'
import { findRefusal, type ReviewedRefusal } from '../../operator/review/refusal.ts'
import { openSyncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'

/** What was refused in a run, or in the last run of an entity. Throws `CommandError`. */
export async function requireRefusal(
  deployment: Deployment,
  { word, target, terminal }: { word: string; target: Target; terminal: Terminal },
): Promise<ReviewedRefusal> {
  const { configuration, bucket } = deployment
  const run = await requireRun(word, { configuration, syncs: openSyncs(deployment, terminal), target })
  const refusal = await findRefusal(openStores(bucket), run)
  if (refusal) return refusal
  throw nothingRefused(run, target)
}

/** Why there is nothing to review or accept in a run. */
export function nothingRefused(
  { entity, runId, status }: Pick<RunView, 'entity' | 'runId' | 'status'>,
  target: Target,
): CommandError {
  return new CommandError(
    status === 'refused'
      ? `The refused snapshot of run ${runId} is gone. Refused snapshots are kept until a newer run publishes, for at most 30 days, and only those of the newest seven refused runs.`
      : `Run ${runId} of ${entity} needs no decision: its status is ${status}, and no guard refused its change set.`,
    { fix: longshoreCommand(target, `runs ${entity}`) },
  )
}
