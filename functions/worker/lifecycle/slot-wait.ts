import { waiting } from '../../state/run/run-changes.ts'
import type { StepContext } from '../context.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import type { RunSession } from './session.ts'
import { slotPollMs } from './slot-poll.ts'

type WaitContext = Pick<StepContext, 'settings' | 'state' | 'now'>

export async function waitForSlot(
  { settings, now }: WaitContext,
  session: RunSession,
): Promise<StepResponse> {
  const reason = `All ${settings.maxConcurrentSyncs} slots for concurrent syncs are taken.`
  return handOff(session, reason, now())
}

/** While this run waits, runs that have a scroll open take no further slot. */
export async function waitForScrollSlot(
  { settings, state, now }: WaitContext,
  session: RunSession,
): Promise<StepResponse> {
  const reason = `All ${settings.maxConcurrentScrolls} slots for concurrent scrolls are taken.`
  await state.waitForScrollSlot(session.run.runId, now() + 2 * pollMs(session, now()))
  return handOff(session, reason, now())
}

async function handOff(session: RunSession, reason: string, now: number): Promise<StepResponse> {
  const waitMs = pollMs(session, now)
  await session.handOff(waiting(session.run, reason, now), waitMs)
  return waitingResponse(session.run, { reason, waitMs })
}

const pollMs = ({ run }: RunSession, now: number) => slotPollMs(now - Date.parse(run.startedAt))
