import type { EntitySettings } from '../../runtime/settings.ts'
import type { UnknownItemVersion } from '../../state/item-version.ts'
import { cancellableStatuses, hasEnded, newRun, type Run, runIdOfExecution } from '../../state/run.ts'
import type { StepContext } from '../context.ts'
import type { SyncRequest } from '../request.ts'
import { responseOf, type StepResponse } from '../response.ts'
import { sayEnd } from './end.ts'
import type { OpenedRun } from './open.ts'

/** A duplicate start is no failure; it is kept with the entity's runs if a state machine drives it. */
export async function skip(
  world: StepContext,
  entity: EntitySettings,
  { request, opened }: { request: SyncRequest; opened: OpenedRun & { kind: 'skipped' } },
): Promise<StepResponse> {
  const reason = `The run ${opened.runningRunId} of this entity is under way.`
  if (!request.execution)
    return { status: 'skipped', entity: entity.name, runId: opened.runningRunId, reason }
  const now = world.now()
  const runId = request.runId ?? runIdOfExecution(request.execution)
  const begun = opened.run ?? newRun({ runId, entity, acceptShrink: request.acceptShrink, now })
  const time = new Date(now).toISOString()
  const run: Run = {
    ...begun,
    status: 'skipped',
    reason,
    updatedAt: time,
    endedAt: time,
    execution: request.execution.id,
  }
  const written = opened.run
    ? await world.state.endRun(run, cancellableStatuses)
    : await world.state.createRun(run)
  if (written) return responseOf(run)
  // Somebody else has ended it in the meantime, or will: whoever works on the entity settles what is publishing.
  const current = (await world.state.readRun(entity.name, runId)) ?? run
  if (hasEnded(current)) return responseOf(current)
  return { ...responseOf(current), status: 'waiting', reason, waitSeconds: 15 }
}

/** Another worker has this run now, or it was cancelled: this one touches nothing more. */
export async function leaseLost(
  world: StepContext,
  request: SyncRequest,
  reason: string,
): Promise<StepResponse> {
  const { entity } = request
  const runId = ownRunId(request)
  const run = runId ? await world.state.readRun(entity, runId) : undefined
  if (run && hasEnded(run)) {
    // Who ended the run let go of what it held then; this worker may have taken a place since.
    await world.state.release(entity, run.runId)
    return responseOf(run)
  }
  return { status: 'waiting', entity, runId: runId ?? null, reason, waitSeconds: 15 }
}

/** What a newer release wrote is for that release to end: whatever this one wrote would be a guess. */
export function unreadable(request: SyncRequest, { message }: UnknownItemVersion): StepResponse {
  return { status: 'failed', entity: request.entity, runId: ownRunId(request) ?? null, reason: message }
}

/** Ends the run of an entity that was taken out of the configuration while it went on. */
export async function notConfigured(world: StepContext, request: SyncRequest): Promise<StepResponse> {
  const { settings, state } = world
  const known = settings.entities.map(({ name }) => name).join(', ') || 'none'
  const reason = `The entity '${request.entity}' is not configured. Configured are: ${known}.`
  const runId = ownRunId(request)
  const run = runId && (await state.readRun(request.entity, runId))
  if (!run) return { status: 'failed', entity: request.entity, runId: null, reason }
  const time = new Date(world.now()).toISOString()
  const ended: Run = { ...run, status: 'failed', reason, updatedAt: time, endedAt: time }
  if (!(await state.endRun(ended, cancellableStatuses)))
    return responseOf(hasEnded(run) ? run : { ...run, status: 'failed', reason })
  await state.release(run.entity, run.runId)
  await sayEnd(world, ended)
  return responseOf(ended)
}

function ownRunId({ runId, execution }: SyncRequest): string | undefined {
  return runId ?? (execution && runIdOfExecution(execution))
}
