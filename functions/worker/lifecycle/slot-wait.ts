import { slotWaitMs } from '../../runtime/slot-wait.ts'
import { waiting } from '../../state/run/run-changes.ts'
import type { Limit } from '../../state/slots/slots.ts'
import type { StepContext } from '../context.ts'
import type { SlotWait } from '../request.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import type { RunSession } from './session.ts'
import { slotPollMs } from './slot-poll.ts'

type WaitContext = Pick<StepContext, 'settings' | 'state' | 'log' | 'now'>

/** From the time at which a run is due to look for a slot until it does. */
const marginMs = 60_000

export async function waitForSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings } = context
  const reason = `All ${settings.maxConcurrentSyncs} slots for concurrent syncs are taken.`
  return handOff(context, session, { slot: 'syncs', reason })
}

/** While this run waits, runs that have a scroll open take no further slot. */
export async function waitForScrollSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings, state, now } = context
  const reason = `All ${settings.maxConcurrentScrolls} slots for concurrent scrolls are taken.`
  await state.waitForScrollSlot(session.run.runId, now() + slotWaitMs + marginMs)
  return handOff(context, session, { slot: 'scrolls', reason })
}

/**
 * An execution waits until it is woken, at most `slotWaitMs`. One of 1.0.0, or a person who invokes the worker, only
 * looks again after `pollMs`.
 */
async function handOff(
  { state, log, now }: WaitContext,
  session: RunSession,
  { slot, reason }: { readonly slot: Limit; readonly reason: string },
): Promise<StepResponse> {
  const { entity, runId, execution, startedAt } = session.run
  const pollMs = slotPollMs(now() - Date.parse(startedAt))
  const waitMs = execution === undefined ? pollMs : slotWaitMs
  log('INFO', 'slot waiting', { entity, runId, reason, waitSeconds: Math.ceil(waitMs / 1000) })
  await state.queueRun(slot, { runId, until: now() + pollMs + marginMs })
  await session.handOff(waiting(session.run, { for: 'slot', reason, waitMs, now: now() }), waitMs)
  return { ...waitingResponse(session.run, { reason, waitMs: pollMs }), slot }
}

/** The execution of a run waits from now on. */
export async function awaitSlot(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { slot, runId, token }: SlotWait,
): Promise<void> {
  await state.awaitSlot(slot, { runId, token, until: now() + slotWaitMs })
}
