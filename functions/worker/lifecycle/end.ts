import type { EventSender, SyncEvent } from '../../../stored/events.ts'
import type { Position } from '../../../stored/pages/page.ts'
import { positionsOf, progressOver } from '../../../stored/run/attempts.ts'
import type { EndedIncrement } from '../../../stored/run/increment-run.ts'
import { reasonWithStep } from '../../../stored/run/reason.ts'
import type { ActiveRun, EndedRun } from '../../../stored/run/run.ts'
import { acceptanceOf, durationOf, highestAttempt } from '../../../stored/run/run.ts'
import { failed, type RunEnd } from '../../../stored/run/run-changes.ts'
import { mapRanges } from '../../../stored/run/split.ts'
import { pick } from '../../runtime/pick.ts'
import { report } from '../../task/report.ts'
import type { StepContext } from '../context.ts'
import { type PublishContext, publish } from '../publish/publish.ts'
import { endResponse, type StepResponse, waitingResponse } from '../response.ts'
import { rememberPageSize } from './page-size.ts'
import type { RunSession } from './session.ts'

type EndContext = Pick<StepContext, 'state' | 'now' | 'log' | 'publishEvent'>

/** Ends a run that publishes nothing: it has failed, unless `end` says otherwise. */
export async function endUnpublished(
  context: EndContext,
  session: RunSession,
  { reason, cause, end = failed }: Pick<RunEnd, 'reason' | 'cause'> & { readonly end?: typeof failed },
): Promise<StepResponse> {
  const { run } = session
  const positions = await positionsOf(context.state, run)
  const why = { reason, cause, progress: progressOver(run, positions), now: context.now() }
  return endRun(context, session, end(withPageSizes(run, positions), why))
}

/** Records the `_size` with which each range was scrolled last. */
function withPageSizes(run: ActiveRun, positions: readonly (Position | undefined)[]): ActiveRun {
  if (run.kind !== 'full') return run
  const split = mapRanges(run.split, (range, index) => ({
    ...range,
    pageSize: positions[index]?.pageSize ?? range.pageSize,
  }))
  return { ...run, split }
}

export async function publishAndEnd(context: PublishContext, session: RunSession): Promise<StepResponse> {
  const { run } = session
  if (run.status !== 'publishing') throw new Error(`The run ${run.runId} is not publishing.`)
  const result = await publish(context, run, session)
  if (result.kind === 'ended') return endRun(context, session, result.run)
  if (result.kind === 'interrupted') return handOff(session)
  await session.handOff(session.run, result.waitMs)
  return waitingResponse(run, result)
}

/** Lets the next worker continue the run at once. */
export async function handOff(session: RunSession, run = session.run): Promise<StepResponse> {
  await session.handOff(run, 0)
  return { status: 'running', ...pick(session.run, 'entity', 'runId') }
}

/** Ends the run, releases its slot and lease, and reports it. */
async function endRun(context: EndContext, session: RunSession, ended: EndedRun): Promise<StepResponse> {
  await rememberPageSize(context.state, session, ended)
  await session.end(ended)
  return reportEnd(context, ended)
}

/** Logs how a run ended, and sends an event if it should have published and did not. */
export async function reportEnd(
  context: EventSender<SyncEvent>,
  run: EndedRun | EndedIncrement,
): Promise<StepResponse> {
  const level = run.status === 'published' ? 'INFO' : 'WARN'
  const details = run.kind === 'increment' ? detailsOfIncrement(run) : detailsOf(run)
  const fields = { ...pick(run, 'entity', 'runId', 'status'), ...details }
  const message = run.kind === 'increment' ? 'increment ended' : 'run ended'
  await report(context, { level, message, fields, event: eventOf(run) })
  return endResponse(run)
}

const detailsOfIncrement = (run: EndedIncrement) =>
  run.status === 'published' ? { ...run.increment, ...pick(run, 'proof', 'uniqueIds') } : pick(run, 'reason')

function detailsOf(run: EndedRun) {
  const accepted = acceptanceOf(run)
  const durationSeconds = durationOf({ ...run, refusedAt: accepted?.refusedAt }) / 1000
  const details =
    run.status === 'published'
      ? { reason: '', uniqueIds: run.uniqueIds, proof: run.proof, ...(accepted && { by: accepted.by }) }
      : { reason: run.reason }
  const counts = pick(run, 'pages', 'documents', 'total')
  return { attempt: highestAttempt(run), ...counts, ...details, durationSeconds }
}

function eventOf(run: EndedRun | EndedIncrement): SyncEvent | undefined {
  if (run.status !== 'refused' && run.status !== 'failed') return undefined
  const { entity, runId } = run
  return {
    type: run.status === 'refused' ? 'Snapshot Refused' : 'Sync Failed',
    detail: { entity, runId, reason: reasonWithStep(run) },
  }
}
