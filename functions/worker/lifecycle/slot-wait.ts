import { waiting as waitingRun } from '../../../stored/run/run-changes.ts'
import type { Limit } from '../../../stored/slots/slots.ts'
import type { StepContext } from '../context.ts'
import type { SlotWait } from '../request.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import type { RunSession } from './session.ts'
import { slotPollMs } from './slot-poll.ts'

type WaitContext = Pick<StepContext, 'settings' | 'state' | 'log' | 'now' | 'random'>

/** From the time at which a run is due to look for a slot until it does. */
const marginMs = 60_000
/** How long an execution waits until it looks for a slot, in case that nothing woke it. */
const minSlotWaitMs = 45 * 60_000
const maxSlotWaitMs = 75 * 60_000

export async function waitForSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings } = context
  const reason = `All ${settings.maxConcurrentSyncs} slots for concurrent syncs are taken.`
  return handOff(context, session, { slot: 'syncs', reason })
}

/** While this run waits, runs that have a scroll open take no further slot. */
export async function waitForScrollSlot(context: WaitContext, session: RunSession): Promise<StepResponse> {
  const { settings, state, now } = context
  const reason = `All ${settings.maxConcurrentScrolls} slots for concurrent scrolls are taken.`
  await state.waitForScrollSlot(session.run.runId, now() + maxSlotWaitMs + marginMs)
  return handOff(context, session, { slot: 'scrolls', reason })
}

/**
 * An execution waits until it is woken, or for about an hour: runs that began together do not look together. One of
 * 1.0.0, or a person who invokes the worker, only looks again after `pollMs`.
 */
async function handOff(
  { state, log, now, random }: WaitContext,
  session: RunSession,
  { slot, reason }: { readonly slot: Limit; readonly reason: string },
): Promise<StepResponse> {
  const { entity, runId, execution, startedAt } = session.run
  const pollMs = slotPollMs(now() - Date.parse(startedAt))
  const slotWaitMs = Math.round(minSlotWaitMs + random() * (maxSlotWaitMs - minSlotWaitMs))
  const waitMs = execution === undefined ? pollMs : slotWaitMs
  log('INFO', 'slot waiting', { entity, runId, reason, waitSeconds: Math.ceil(waitMs / 1000) })
  await state.queueRun(slot, { runId, until: now() + pollMs + marginMs })
  await session.handOff(waitingRun(session.run, { for: 'slot', reason, waitMs, now: now() }), waitMs)
  const waiting = waitingResponse(session.run, { reason, waitMs: pollMs })
  return { ...waiting, slot, slotSeconds: Math.ceil(slotWaitMs / 1000) }
}

/** The execution of a run waits from now on. */
export async function awaitSlot(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { slot, runId, token }: SlotWait,
): Promise<void> {
  await state.awaitSlot(slot, { runId, token, until: now() + maxSlotWaitMs })
}
