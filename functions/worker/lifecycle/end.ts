import type { EventSender, SyncEvent } from '../../../stored/events.ts'
import { leaseMs } from '../../../stored/lease.ts'
import type { Position, Progress } from '../../../stored/pages/page.ts'
import { positionsOf, progressOfRun, progressOver } from '../../../stored/run/attempts.ts'
import type { EndedIncrement } from '../../../stored/run/increment-run.ts'
import { reasonWithStep } from '../../../stored/run/reason.ts'
import type { ActiveRun, EndedRun } from '../../../stored/run/run.ts'
import { acceptanceOf, durationOf, hasEnded, highestAttempt } from '../../../stored/run/run.ts'
import { failed, published, type RunEnd } from '../../../stored/run/run-changes.ts'
import { mapRanges } from '../../../stored/run/split.ts'
import { withoutIdOf } from '../../../stored/snapshots/without-id.ts'
import { causeOfUnreadable, type Unreadable } from '../../../stored/unreadable-object.ts'
import { notConfigured } from '../../http/result.ts'
import { pick } from '../../runtime/pick.ts'
import { report } from '../../task/report.ts'
import type { StepContext } from '../context.ts'
import { type PublishContext, publish } from '../publish/publish.ts'
import { runIdOf, type WorkerRequest } from '../request.ts'
import { endResponse, noRunResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'
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

type FailContext = Pick<
  StepContext,
  'settings' | 'state' | 'snapshots' | 'publisher' | 'log' | 'publishEvent' | 'now'
>

/** Ends the run of an entity that was removed from the configuration while it was in progress. */
export const failUnconfigured = (context: FailContext, request: WorkerRequest): Promise<StepResponse> => {
  const reason = notConfigured(context.settings.entities, request.entity)
  return failRequested(context, request, {
    reason,
    endOf: (run, progress) => endOfUnconfigured(context, run, { reason, request, progress }),
  })
}

/**
 * Ends a run that needs an object which somebody has overwritten: no worker could continue it. If it was publishing,
 * `latest.json` may have named it before.
 */
export function failUnreadable(context: FailContext, request: WorkerRequest, error: Unreadable) {
  const why = { reason: error.message, cause: causeOfUnreadable(error) }
  return failRequested(context, request, {
    reason: error.message,
    endOf: async (run, progress) => failed(run, { ...why, progress, now: context.now() }),
  })
}

interface Failing {
  readonly reason: string
  /** Undefined while that cannot be known. */
  readonly endOf: (run: ActiveRun, progress: Progress) => Promise<EndedRun | undefined>
}

async function failRequested(
  context: FailContext,
  request: WorkerRequest,
  failing: Failing,
): Promise<StepResponse> {
  const { state } = context
  const { entity } = request
  const { reason, endOf } = failing
  const runId = runIdOf(request)
  if (runId === undefined) return noRunResponse('failed', { entity, runId: null, reason })
  const run = await state.readRun(entity, runId)
  if (!run) {
    // The API may have claimed the entity for a run that it did not create.
    await state.release(entity, runId)
    return noRunResponse('failed', { entity, runId: null, reason })
  }
  if (hasEnded(run)) {
    const isAccepting = request.job.kind === 'accept' && request.driver.kind === 'step'
    await state.release(entity, run.runId, isAccepting ? 'run-or-acceptance' : 'run')
    return isAccepting ? noRunResponse('failed', { entity, runId, reason }) : endResponse(run)
  }
  const ended = await endOf(run, await progressOfRun(state, run))
  if (!ended) {
    const waiting = 'The publication of this run was interrupted and may still take effect.'
    return waitingResponse({ entity, runId }, { reason: waiting, waitMs: retryMs })
  }
  // A worker of an earlier deployment may have continued it since it was read, and may publish it now.
  if (!(await state.endRun(ended, [run.status], { unwritten: true })))
    return failRequested(context, request, failing)
  await state.release(entity, run.runId, 'run-or-acceptance')
  return reportEnd(context, ended)
}

/** A run that has moved `latest.json` has published. Undefined while the previous worker may still move it. */
async function endOfUnconfigured(
  { state, snapshots, publisher, now }: FailContext,
  run: ActiveRun,
  { reason, request, progress }: { reason: string; request: WorkerRequest; progress: Progress },
): Promise<EndedRun | undefined> {
  const { entity, runId } = run
  if (run.status !== 'publishing') return failed(run, { reason, progress, now: now() })
  const latest = (await snapshots.readLatest(entity))?.value
  if (latest?.runId !== runId) {
    const isRecent = now() < Date.parse(run.updatedAt) + leaseMs
    if (isRecent && request.driver.kind === 'step') return undefined
    return failed(run, { reason, progress, now: now() })
  }
  const finished = await publisher.publish({ entity, runId })
  if (finished.kind === 'published') await state.setLatest(entity, latest, withoutIdOf(finished.manifest))
  return published(run, { manifest: latest.manifest, progress, now: now() })
}
