import type { EntitySettings } from '../../runtime/settings.ts'
import { noProgress } from '../../state/pages/page.ts'
import { cancellableStatuses, hasEnded } from '../../state/run/run.ts'
import { skipped } from '../../state/run/run-changes.ts'
import type { StepContext } from '../context.ts'
import { executionOf, runIdOf, type WorkerRequest } from '../request.ts'
import { endResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'
import { type OpenedRun, requestedRun } from './open.ts'

/** A duplicate start is not a failure. It is kept among the entity's runs if a state machine drives it. */
export async function skipDuplicate(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { entity, request }: { readonly entity: EntitySettings; readonly request: WorkerRequest },
  { runningRunId, own }: OpenedRun & { kind: 'skipped' },
): Promise<StepResponse> {
  const reason = `Run ${runningRunId} of this entity is in progress.`
  const runId = runIdOf(request)
  if (runId === undefined) return { status: 'skipped', entity: entity.name, runId: runningRunId, reason }
  const begun = own ?? requestedRun({ entity, request }, { runId, now: now() })
  const run = skipped(
    { ...begun, execution: executionOf(request) },
    { reason, progress: noProgress, now: now() },
  )
  const written = own ? await state.endRun(run, cancellableStatuses) : await state.createRun(run)
  if (written) {
    // A worker of this run that was frozen may have taken a slot after it had lost the lease.
    if (own) await state.release(entity.name, runId)
    return endResponse(run)
  }
  // Another worker has ended it, or will: the owner of the lease settles a run that is publishing.
  const current = await state.readRun(entity.name, runId)
  if (current && hasEnded(current)) return endResponse(current)
  return waitingResponse({ entity: entity.name, runId }, { reason, waitMs: retryMs })
}
