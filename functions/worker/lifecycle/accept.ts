import { acceptedText, whyNotWithChanges } from '../../../stored/changes/acceptable-changes.ts'
import { claimEntity } from '../../../stored/claim/claim.ts'
import type { Prevention } from '../../../stored/claim/decisions.ts'
import { inUse, type Lease, LeaseLost } from '../../../stored/lease.ts'
import { noProgress } from '../../../stored/pages/page.ts'
import { pauseText } from '../../../stored/pause.ts'
import { acceptanceOf, cancellableStatuses, hasEnded, type PublishingRun } from '../../../stored/run/run.ts'
import { accepted, skipped } from '../../../stored/run/run-changes.ts'
import { readAcceptability } from '../../../stored/snapshots/acceptable.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import { formatMinute } from '../../runtime/format.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { AttemptContext, StepContext } from '../context.ts'
import { type AcceptJob, executionOf, runIdOf, type Step, type WorkerRequest } from '../request.ts'
import { endResponse, noRunResponse, retryMs, type StepResponse, waitingResponse } from '../response.ts'
import { settleAbandonedRuns } from './abandoned-runs.ts'
import { publishAndEnd } from './end.ts'
import { type OpenedRun, requestedRun } from './open.ts'
import { RunSession } from './session.ts'

interface Accepting {
  readonly entity: EntitySettings
  readonly job: Extract<AcceptJob, { guard: 'snapshot' }>
  readonly driver: Step
  readonly worker: string
}

interface AcceptingChanges {
  readonly entity: string
  readonly job: Extract<AcceptJob, { guard: 'changes' }>
  readonly driver: Step
}

/** Stores that a person accepted the change set of a run that has published. The comparison follows. */
export async function acceptChanges(
  state: StateStore,
  { entity, job: { by, refusedAt }, driver: { runId, execution } }: AcceptingChanges,
): Promise<StepResponse> {
  const acceptance = { runId, by, execution: execution.split(':').at(-1) ?? execution, refusedAt }
  for (;;) {
    const { acceptedChanges: seen, latest } = await state.readEntity(entity)
    // The change set of a run that is not published any more cannot be accepted, nor can an earlier refusal of it.
    const isOutdated = latest !== undefined && latest.runId > runId
    const isReplaced = seen?.runId === runId && refusedAt !== undefined && (seen.refusedAt ?? '') > refusedAt
    if (isOutdated || isReplaced || seen?.execution === acceptance.execution) break
    if (await state.acceptChanges(entity, { seen, acceptance })) break
  }
  return { status: 'published', entity, runId }
}

/** Publishes the snapshot of a refused run, as a person decided. It may be called again after a crash at any point. */
export async function acceptSnapshot(context: AttemptContext, accepting: Accepting): Promise<StepResponse> {
  const { state, now } = context
  const { entity, worker } = accepting
  const { withChanges } = accepting.job
  const { runId, execution } = accepting.driver
  const fail = (reason: string) => noRunResponse('failed', { entity: entity.name, runId, reason })
  const known = await state.readRun(entity.name, runId)
  const decided = known && acceptanceOf(known)
  // Another execution accepts the run, and keeps its lease.
  if (decided && decided.withChanges !== withChanges) return fail(acceptedText(runId, decided))
  // A worker that has crashed had accepted it.
  if (decided && known.status === 'published') {
    await state.release(entity.name, runId, 'run-or-acceptance')
    return endResponse(known)
  }
  if (decided && known.execution !== execution) {
    const { lease } = await state.readEntity(entity.name)
    if (inUse(lease, now()) && lease.runId === runId && !lease.handedOff)
      return waitingResponse(known, { reason: 'Another execution accepts the run.', waitMs: retryMs })
  }
  const claimant = { for: 'snapshot', kind: 'step', runId, worker, accepts: true, withChanges } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind !== 'claimed') {
    const advice = claimed.kind === 'in-progress' ? ` Accept run ${runId} again when it has ended.` : ''
    return fail(`${preventionText(claimed)}${advice}`)
  }
  const { abandonedRuns, entityState, lease } = claimed
  await settleAbandonedRuns(context, { entity, abandonedRuns, worker })
  const reopened = await reopen(context, accepting, lease)
  if (reopened.kind === 'ended') {
    await state.release(entity.name, runId, lease)
    return reopened.response
  }
  const { run } = reopened
  const rememberedPageSize = entityState.pageSize
  const session = new RunSession(context, { entity, rememberedPageSize, run, lease })
  return publishAndEnd(context, session)
}

type Reopened =
  /** The run as its publication continues. */
  | { readonly kind: 'publishing'; readonly run: PublishingRun }
  /** There is nothing to publish. */
  | { readonly kind: 'ended'; readonly response: StepResponse }

async function reopen(
  { state, snapshots, changes, now }: StepContext,
  { entity, job: { by, withChanges }, driver: { runId, execution }, worker }: Accepting,
  lease: Lease,
): Promise<Reopened> {
  const ended = (response: StepResponse): Reopened => ({ kind: 'ended', response })
  const fail = (reason: string) => ended(noRunResponse('failed', { entity: entity.name, runId, reason }))
  const run = await state.readRun(entity.name, runId)
  if (!run) return fail(`The run ${runId} does not exist. Runs are kept for 30 days after they end.`)
  // A worker that has crashed had accepted it.
  if (run.status === 'publishing' && run.accepted)
    return { kind: 'publishing', run: await state.writeRun({ ...run, worker, execution }) }
  const found = await readAcceptability(snapshots, entity, run)
  if (found.kind === 'unacceptable') return fail(found.reason)
  const reason = withChanges && (await whyNotWithChanges({ snapshots, changes }, entity, found.run))
  if (reason) return fail(reason)
  const decision = { by, withChanges, result: found.result, worker, execution, now: now() }
  const publishing = accepted(found.run, decision)
  // A worker that was frozen meanwhile: another run may have begun, and has found this one refused.
  if (!inUse(lease, now())) throw new LeaseLost('The lease has ended.')
  return { kind: 'publishing', run: await state.reopenRun(publishing) }
}

/** Ends a run that does not begin, which is no failure. It is kept if a state machine drives it. */
export async function skipStart(
  { state, now }: Pick<StepContext, 'state' | 'now'>,
  { entity, request }: { readonly entity: EntitySettings; readonly request: WorkerRequest },
  { because, own }: OpenedRun & { kind: 'skipped' },
): Promise<StepResponse> {
  const reason = preventionText(because)
  const runId = runIdOf(request)
  if (runId === undefined) {
    const running = because.kind === 'in-progress' ? because.runId : null
    return noRunResponse('skipped', { entity: entity.name, runId: running, reason })
  }
  const begun = own ?? requestedRun({ entity, request }, { runId, now: now() })
  const run = skipped(
    { ...begun, execution: executionOf(request) },
    { reason, progress: noProgress, now: now() },
  )
  const written = own ? await state.endRun(run, cancellableStatuses) : await state.createRun(run)
  if (written) {
    // An earlier worker of this run may have taken the lease before it crashed, or a slot after it had lost the lease.
    if (own || because.kind === 'paused') await state.release(entity.name, runId)
    return endResponse(run)
  }
  // Another worker has ended it, or will: the owner of the lease settles a run that is publishing.
  const current = await state.readRun(entity.name, runId)
  if (current && hasEnded(current)) return endResponse(current)
  return waitingResponse({ entity: entity.name, runId }, { reason, waitMs: retryMs })
}

/** Why a run does not begin. */
export function preventionText(prevention: Prevention): string {
  switch (prevention.kind) {
    case 'paused':
      return pauseText('The entity', prevention.pause)
    case 'in-progress':
      return `Run ${prevention.runId} of this entity is in progress.`
    case 'accepted':
      return acceptedText(prevention.lease.runId, prevention.lease)
    case 'scroll-open': {
      const until = formatMinute(new Date(prevention.until).toISOString())
      return `The last increment left a scroll open at the platform, which expires at ${until}.`
    }
  }
}
