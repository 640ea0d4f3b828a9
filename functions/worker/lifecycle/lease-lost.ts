import type { LeaseLost } from '../../state/lease.ts'
import { hasEnded } from '../../state/run/run.ts'
import type { StepContext } from '../context.ts'
import { runIdOf, type WorkerRequest } from '../request.ts'
import { endResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'

/** Another worker has this run, or it was cancelled. This worker changes nothing more. */
export async function stopAfterLeaseLost(
  { state }: Pick<StepContext, 'state'>,
  request: WorkerRequest,
  { message: reason }: LeaseLost,
): Promise<StepResponse> {
  const { entity } = request
  const runId = runIdOf(request)
  const run = runId === undefined ? undefined : await state.readRun(entity, runId)
  if (run && hasEnded(run)) {
    // Ending the run released its lease and slot, but this worker may have taken a slot since.
    await state.release(entity, run.runId)
    return endResponse(run)
  }
  return waitingResponse({ entity, runId: runId ?? null }, { reason, waitMs: retryMs })
}
