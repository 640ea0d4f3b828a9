import { leaseMs } from '../../../stored/lease.ts'
import type { Progress } from '../../../stored/pages/page.ts'
import { progressOfRun } from '../../../stored/run/attempts.ts'
import { type ActiveRun, type EndedRun, hasEnded } from '../../../stored/run/run.ts'
import { failed, published } from '../../../stored/run/run-changes.ts'
import { withoutIdOf } from '../../../stored/snapshots/without-id.ts'
import { causeOfUnreadable, type Unreadable } from '../../../stored/unreadable-object.ts'
import { notConfigured } from '../../http/configured-entity.ts'
import type { StepContext } from '../context.ts'
import { runIdOf, type WorkerRequest } from '../request.ts'
import { endResponse, noRunResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'
import { reportEnd } from './end.ts'

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
