import type { EntitySettings } from '../../runtime/settings.ts'
import { type LeaseLost, leaseMs } from '../../state/lease/lease.ts'
import { noProgress } from '../../state/pages/page.ts'
import { progressOfRun } from '../../state/run/attempts.ts'
import {
  type ActiveRun,
  activeStatuses,
  cancellableStatuses,
  type EndedRun,
  hasEnded,
  newRun,
} from '../../state/run/run.ts'
import { failed, published, skipped } from '../../state/run/run-changes.ts'
import type { UnknownVersion } from '../../state/unknown-version.ts'
import type { StepContext } from '../context.ts'
import { followLatest } from '../publish/publish.ts'
import type { SyncRequest, WorkerRequest } from '../request.ts'
import { endResponse, type StepResponse, waitingResponse } from '../response.ts'
import { reportEnd } from './end.ts'
import type { OpenedRun } from './open.ts'

const retryMs = 15_000

/** A duplicate start is not a failure. It is kept among the entity's runs if a state machine drives it. */
export async function skip(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { entity, request }: { entity: EntitySettings; request: SyncRequest },
  { runningRunId, own }: OpenedRun & { kind: 'skipped' },
): Promise<StepResponse> {
  const reason = `Run ${runningRunId} of this entity is in progress.`
  if (request.kind === 'direct') {
    return { status: 'skipped', entity: entity.name, runId: runningRunId, reason }
  }
  const { runId, acceptShrink, execution } = request
  const begun = own ?? newRun({ runId, entity, acceptShrink, execution, now: now() })
  const run = skipped({ ...begun, execution }, { reason, progress: noProgress, now: now() })
  const written = own ? await state.endRun(run, cancellableStatuses) : await state.createRun(run)
  if (written) {
    // A worker of this run that was frozen may have taken a slot after it had lost the lease.
    if (own) await state.release(entity.name, runId)
    return endResponse(run)
  }
  // Another worker has ended it, or will: the owner of the lease settles a run that is publishing.
  const current = await state.readRun(entity.name, runId)
  if (current && hasEnded(current)) return endResponse(current)
  return waitingResponse({ entity: entity.name, runId }, { reason, waitMs: retryMs })
}

/** Another worker has this run, or it was cancelled. This worker changes nothing more. */
export async function stopAfterLeaseLost(
  { state }: Pick<StepContext, 'state'>,
  request: WorkerRequest,
  { message: reason }: LeaseLost,
): Promise<StepResponse> {
  const { entity } = request
  const runId = ownRunId(request)
  const run = runId === null ? undefined : await state.readRun(entity, runId)
  if (run && hasEnded(run)) {
    // Ending the run released its lease and slot, but this worker may have taken a slot since.
    await state.release(entity, run.runId)
    return endResponse(run)
  }
  return waitingResponse({ entity, runId }, { reason, waitMs: retryMs })
}

/** Only the newer release that wrote an item can end it. */
export function failUnreadable(request: WorkerRequest, { message }: UnknownVersion): StepResponse {
  return { status: 'failed', entity: request.entity, runId: ownRunId(request), reason: message }
}

/** Ends the run of an entity that was removed from the configuration while it was in progress. */
export async function failUnconfigured(
  context: Pick<StepContext, 'settings' | 'state' | 'snapshots' | 'log' | 'publishEvent' | 'now'>,
  request: WorkerRequest,
): Promise<StepResponse> {
  const { settings, state } = context
  const { entity } = request
  const configured = settings.entities.map(({ name }) => name).join(', ') || 'none'
  const reason = `The entity '${entity}' is not configured. Configured entities: ${configured}.`
  const runId = ownRunId(request)
  const run = runId === null ? undefined : await state.readRun(entity, runId)
  if (!run) {
    // The API may have claimed the entity for a run that it did not create.
    if (runId !== null) await state.release(entity, runId)
    return { status: 'failed', entity, runId: null, reason }
  }
  if (hasEnded(run)) {
    await state.release(entity, run.runId)
    return request.kind === 'accept' ? { status: 'failed', entity, runId, reason } : endResponse(run)
  }
  const ended = await endOfUnconfigured(context, run, { reason, request })
  if (!ended) {
    const waiting = 'The publication of this run was interrupted and may still take effect.'
    return waitingResponse({ entity, runId }, { reason: waiting, waitMs: retryMs })
  }
  if (!(await state.endRun(ended, activeStatuses))) return failUnconfigured(context, request)
  await state.release(entity, run.runId)
  await reportEnd(context, ended)
  return endResponse(ended)
}

/**
 * A run that has moved `latest.json` has published. Any other has failed. Undefined while a request of the previous
 * worker may still move it.
 */
async function endOfUnconfigured(
  context: Pick<StepContext, 'state' | 'snapshots' | 'now'>,
  run: ActiveRun,
  { reason, request }: { reason: string; request: WorkerRequest },
): Promise<EndedRun | undefined> {
  const { state, snapshots, now } = context
  const { entity, runId } = run
  const progress = await progressOfRun(state, run)
  if (run.status !== 'publishing') return failed(run, { reason, progress, now: now() })
  const latest = (await snapshots.readLatest(entity))?.value
  if (latest?.runId !== runId) {
    const isRecent = now() < Date.parse(run.updatedAt) + leaseMs
    if (isRecent && (request.kind === 'step' || request.kind === 'accept')) return undefined
    return failed(run, { reason, progress, now: now() })
  }
  const manifest = await snapshots.readManifest(entity, runId)
  if (manifest) await followLatest(context, manifest, latest)
  return published(run, { manifest: latest.manifest, progress, now: now() })
}

function ownRunId(request: WorkerRequest): string | null {
  return request.kind === 'direct' ? null : request.runId
}
