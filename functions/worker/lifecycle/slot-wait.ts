import { waiting } from '../../state/run/run-changes.ts'
import type { StepContext } from '../context.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import type { RunSession } from './session.ts'
import { slotPollMs } from './slot-poll.ts'

type WaitContext = Pick<StepContext, 'settings' | 'state' | 'log' | 'now'>

export async function waitForSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings } = context
  const reason = `All ${settings.maxConcurrentSyncs} slots for concurrent syncs are taken.`
  return handOff(context, session, reason)
}

/** While this run waits, runs that have a scroll open take no further slot. */
export async function waitForScrollSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings, state, now } = context
  const reason = `All ${settings.maxConcurrentScrolls} slots for concurrent scrolls are taken.`
  await state.waitForScrollSlot(session.run.runId, now() + 2 * pollMs(session, now()))
  return handOff(context, session, reason)
}

async function handOff(
  { log, now }: Pick<WaitContext, 'log' | 'now'>,
  session: RunSession,
  reason: string,
): Promise<StepResponse> {
  const waitMs = pollMs(session, now())
  const { entity, runId } = session.run
  log('INFO', 'slot waiting', { entity, runId, reason, waitSeconds: Math.ceil(waitMs / 1000) })
  await session.handOff(waiting(session.run, { for: 'slot', reason, waitMs, now: now() }), waitMs)
  return waitingResponse(session.run, { reason, waitMs })
}

const pollMs = ({ run }: RunSession, now: number) => slotPollMs(now - Date.parse(run.startedAt))
