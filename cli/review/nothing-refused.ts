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
      ? `The refused snapshot of run ${runId} is gone: it is kept for 30 days, of the newest seven refused runs, and until a newer run publishes.`
      : `Nothing waits for a decision in run ${runId} of ${entity}: its status is ${status}, and no guard refuses its change set.`,
    { fix: longshoreCommand(target, `runs ${entity}`) },
  )
}
