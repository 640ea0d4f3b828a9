import type { EventSender, SyncEvent } from '../../../stored/events.ts'
import type { Position, Progress } from '../../../stored/pages/page.ts'
import { positionsOf, progressOver } from '../../../stored/run/attempts.ts'
import { reasonWithStep } from '../../../stored/run/reason.ts'
import type { ActiveRun, EndedRun, UnpublishedRun } from '../../../stored/run/run.ts'
import { acceptanceOf, durationOf, highestAttempt } from '../../../stored/run/run.ts'
import { failed, type RunEnd, skipped } from '../../../stored/run/run-changes.ts'
import { mapRanges } from '../../../stored/run/split.ts'
import { pick } from '../../runtime/pick.ts'
import { type Ending, report } from '../../task/report.ts'
import type { StepContext } from '../context.ts'
import { type PublishContext, publish } from '../publish/publish.ts'
import { endResponse, type StepResponse, waitingResponse } from '../response.ts'
import { rememberPageSize } from './page-size.ts'
import type { RunSession } from './session.ts'

type EndContext = Pick<StepContext, 'state' | 'now' | 'log' | 'publishEvent'>

export function failRun(
  context: EndContext,
  session: RunSession,
  why: Pick<RunEnd, 'reason' | 'cause'>,
): Promise<StepResponse> {
  return endUnpublished(context, session, (run, progress) =>
    failed(run, { reason: why.reason, cause: why.cause, progress, now: context.now() }),
  )
}

/** The credentials are not set. */
export function skipRun(context: EndContext, session: RunSession, reason: string): Promise<StepResponse> {
  return endUnpublished(context, session, (run, progress) =>
    skipped(run, { reason, cause: 'credentials', progress, now: context.now() }),
  )
}

async function endUnpublished(
  context: EndContext,
  session: RunSession,
  end: (run: ActiveRun, progress: Progress) => UnpublishedRun,
): Promise<StepResponse> {
  const { run } = session
  const positions = await positionsOf(context.state, run)
  return endRun(context, session, end(withPageSizes(run, positions), progressOver(run, positions)))
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
  await reportEnd(context, ended)
  return endResponse(ended)
}

/** Logs how a run ended, and sends an event if it should have published a snapshot and did not. */
export const reportEnd = (context: EventSender<SyncEvent>, run: EndedRun): Promise<void> =>
  report(context, endingOf(run))

/** One line per run. */
function endingOf(run: EndedRun): Ending<SyncEvent> {
  const { status } = run
  const accepted = acceptanceOf(run)
  const durationSeconds = durationOf({ ...run, refusedAt: accepted?.refusedAt }) / 1000
  const details =
    run.status === 'published'
      ? { reason: '', uniqueIds: run.uniqueIds, proof: run.proof, ...(accepted && { by: accepted.by }) }
      : { reason: run.reason }
  return {
    level: status === 'published' ? 'INFO' : 'WARN',
    message: 'run ended',
    fields: {
      ...pick(run, 'entity', 'runId', 'status'),
      attempt: highestAttempt(run),
      ...pick(run, 'pages', 'documents'),
      total: run.total,
      ...details,
      durationSeconds,
    },
    event: eventOf(run),
  }
}

function eventOf(run: EndedRun): SyncEvent | undefined {
  if (run.status !== 'refused' && run.status !== 'failed') return undefined
  const { entity, runId } = run
  return {
    type: run.status === 'refused' ? 'Snapshot Refused' : 'Sync Failed',
    detail: { entity, runId, reason: reasonWithStep(run) },
  }
}
