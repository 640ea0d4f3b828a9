import type { ActiveRun } from '../../state/run/run.ts'
import type { StepContext } from '../context.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import type { RunSession } from './session.ts'

/** Hands off a run that waits for the platform, and logs why. */
export async function handOffWaiting(
  { log }: Pick<StepContext, 'log'>,
  session: RunSession,
  { run, reason, waitMs }: { readonly run: ActiveRun; readonly reason: string; readonly waitMs: number },
): Promise<StepResponse> {
  const response = waitingResponse(run, { reason, waitMs })
  log('WARN', 'run waiting', { ...response })
  await session.handOff(run, waitMs)
  return response
}
