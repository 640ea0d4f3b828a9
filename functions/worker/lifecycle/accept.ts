import type { EntitySettings } from '../../runtime/settings.ts'
import { claimEntity } from '../../state/lease/claim.ts'
import type { PublishingRun } from '../../state/run/run.ts'
import { accepted } from '../../state/run/run-changes.ts'
import { readAcceptability } from '../../state/snapshots/acceptable.ts'
import type { StepContext } from '../context.ts'
import { publish } from '../publish/publish.ts'
import type { AcceptRequest } from '../request.ts'
import { endResponse, type StepResponse } from '../response.ts'
import { settleAbandonedRuns } from './abandoned-runs.ts'
import { endRun } from './end.ts'
import { createSession } from './session.ts'

interface Accepting {
  readonly entity: EntitySettings
  readonly request: AcceptRequest
  readonly worker: string
}

/**
 * What an execution does that accepts what a guard refused. A change set needs no worker: its run has published, and the
 * comparison follows.
 */
export async function accept(context: StepContext, accepting: Accepting): Promise<StepResponse> {
  const { entity, request } = accepting
  return request.guard === 'snapshot'
    ? acceptSnapshot(context, accepting)
    : { status: 'published', entity: entity.name, runId: request.runId }
}

/** Publishes the snapshot of a refused run, as a person decided. It may be called again after a crash at any point. */
async function acceptSnapshot(
  context: StepContext,
  { entity, request, worker }: Accepting,
): Promise<StepResponse> {
  const { state, now } = context
  const { runId } = request
  const claimant = { kind: 'step', runId, worker, accepts: true } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind === 'skip') {
    const reason = `Run ${claimed.runId} of this entity is in progress. Accept run ${runId} again when it has ended.`
    return { status: 'failed', entity: entity.name, runId, reason }
  }
  const { abandonedRuns, entityState, lease } = claimed
  await settleAbandonedRuns(context, { entity, abandonedRuns, worker })
  const reopened = await reopen(context, { entity, request, worker })
  if ('response' in reopened) {
    await state.release(entity.name, runId)
    return reopened.response
  }
  const { run } = reopened
  const rememberedPageSize = entityState.pageSize
  const session = createSession(context, { entity, rememberedPageSize, run, lease, scrolls: [] })
  return endRun(context, session, await publish(context, run, { entity, count: undefined }))
}

/** The run as its publication continues, or the response if there is nothing to publish. */
async function reopen(
  { state, snapshots, now }: StepContext,
  { entity, request, worker }: Accepting,
): Promise<{ readonly run: PublishingRun } | { readonly response: StepResponse }> {
  const { runId, by, execution } = request
  const fail = (reason: string) => ({
    response: { status: 'failed', entity: entity.name, runId, reason } as const,
  })
  const run = await state.readRun(entity.name, runId)
  if (!run) return fail(`The run ${runId} does not exist. Runs are kept for 30 days after they end.`)
  // A worker that has crashed had accepted it.
  if (run.status === 'publishing' && run.accepted)
    return { run: await state.writeRun({ ...run, worker, execution }) }
  if (run.status === 'published' && run.by) return { response: endResponse(run) }
  const found = await readAcceptability(snapshots, entity, run)
  if (found.kind === 'unacceptable') return fail(found.reason)
  const { result } = found
  const publishing = accepted(found.run, { by, result, worker, execution, now: now() })
  return { run: await state.reopenRun(publishing) }
}
