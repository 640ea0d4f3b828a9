import type { RunView } from '../../functions/sync-api/views.ts'
import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'

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
