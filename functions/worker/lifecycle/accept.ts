import type { EntitySettings } from '../../runtime/settings.ts'
import { whyNotAnymore, whyNotWithChanges } from '../../state/changes/acceptable-changes.ts'
import { claimEntity } from '../../state/claim/claim.ts'
import { acceptanceOf, type PublishingRun } from '../../state/run/run.ts'
import { accepted, withCheckedPages } from '../../state/run/run-changes.ts'
import { readAcceptability } from '../../state/snapshots/acceptable.ts'
import type { AttemptContext, StepContext } from '../context.ts'
import type { AcceptJob, Step } from '../request.ts'
import { endResponse, noRunResponse, type StepResponse } from '../response.ts'
import { settleAbandonedRuns } from './abandoned-runs.ts'
import { checkPages } from './check-pages.ts'
import { failRun, handOff, publishRun } from './end.ts'
import { RunSession } from './session.ts'
import { preventionText } from './skipped-start.ts'

interface Accepting {
  readonly entity: EntitySettings
  readonly job: Extract<AcceptJob, { guard: 'snapshot' }>
  readonly driver: Step
  readonly worker: string
}

/** Publishes the snapshot of a refused run, as a person decided. It may be called again after a crash at any point. */
export async function acceptSnapshot(context: AttemptContext, accepting: Accepting): Promise<StepResponse> {
  const { state, now } = context
  const { entity, worker } = accepting
  const { withChanges } = accepting.job
  const { runId } = accepting.driver
  const known = withChanges && (await state.readRun(entity.name, runId))
  const tooLate = known && whyNotAnymore(runId, acceptanceOf(known))
  // Another execution accepts the run, and keeps its lease.
  if (tooLate) return noRunResponse('failed', { entity: entity.name, runId, reason: tooLate })
  const claimant = { for: 'snapshot', kind: 'step', runId, worker, accepts: true, withChanges } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind !== 'claimed') {
    const reason = `${preventionText(claimed)} Accept run ${runId} again when it has ended.`
    return noRunResponse('failed', { entity: entity.name, runId, reason })
  }
  const { abandonedRuns, entityState, lease } = claimed
  await settleAbandonedRuns(context, { entity, abandonedRuns, worker })
  const reopened = await reopen(context, accepting)
  if (reopened.kind === 'ended') {
    await state.release(entity.name, runId)
    return reopened.response
  }
  const { run } = reopened
  const rememberedPageSize = entityState.pageSize
  const session = new RunSession(context, { entity, rememberedPageSize, run, lease, scrolls: [] })
  // A worker that has crashed had checked the pages.
  if (run.accepted?.checked) return publishRun(context, session, undefined)
  const refused = await context.snapshots.readRefused(entity.name, runId)
  const pages = refused?.pages.map((page) => ({ page, key: page.key })) ?? []
  const checked = await checkPages(context, session, { pages })
  if (checked.kind === 'damaged')
    return failRun(context, session, { reason: `${checked.reason} Start a new sync.` })
  if (checked.kind === 'time-is-up') return handOff(session)
  await session.change((current) => withCheckedPages(current, now()))
  return publishRun(context, session, 'intact')
}

type Reopened =
  /** The run as its publication continues. */
  | { readonly kind: 'publishing'; readonly run: PublishingRun }
  /** There is nothing to publish. */
  | { readonly kind: 'ended'; readonly response: StepResponse }

async function reopen(
  { state, snapshots, changes, now }: StepContext,
  { entity, job: { by, withChanges }, driver: { runId, execution }, worker }: Accepting,
): Promise<Reopened> {
  const ended = (response: StepResponse): Reopened => ({ kind: 'ended', response })
  const fail = (reason: string) => ended(noRunResponse('failed', { entity: entity.name, runId, reason }))
  const run = await state.readRun(entity.name, runId)
  if (!run) return fail(`The run ${runId} does not exist. Runs are kept for 30 days after they end.`)
  // A worker that has crashed had accepted it.
  if (run.status === 'publishing' && run.accepted)
    return { kind: 'publishing', run: await state.writeRun({ ...run, worker, execution }) }
  if (run.status === 'published' && run.accepted) return ended(endResponse(run))
  const found = await readAcceptability(snapshots, entity, run)
  if (found.kind === 'unacceptable') return fail(found.reason)
  const reason = withChanges && (await whyNotWithChanges({ snapshots, changes }, entity, found.run))
  if (reason) return fail(reason)
  const decision = { by, withChanges, result: found.result, worker, execution, now: now() }
  const publishing = accepted(found.run, decision)
  return { kind: 'publishing', run: await state.reopenRun(publishing) }
}
