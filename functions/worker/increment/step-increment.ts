import { setManifestKey } from '../../../stored/changes/change-keys.ts'
import { claimEntity } from '../../../stored/claim/claim.ts'
import type { Prevention } from '../../../stored/claim/decisions.ts'
import type { LastIncrement } from '../../../stored/entity-items.ts'
import { LeaseLost } from '../../../stored/lease.ts'
import type { ActiveIncrement, Delivery } from '../../../stored/run/increment-run.ts'
import { delivered, newIncrement, unpublished } from '../../../stored/run/increment-run.ts'
import { hasEnded, newRunId } from '../../../stored/run/run.ts'
import { absentIfUnreadable } from '../../../stored/unreadable-object.ts'
import { endMarginMs } from '../../runtime/client-limits.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { Invocation, StepContext } from '../context.ts'
import { preventionText } from '../lifecycle/accept.ts'
import { reportEnd } from '../lifecycle/end.ts'
import type { Driver } from '../request.ts'
import { endResponse, type StepResponse } from '../response.ts'
import { failWith, type IncrementEnd, skipWith } from './end.ts'
import { runUntilInterrupted } from './run-increment.ts'
import { IncrementSession } from './session.ts'
import { nextStatus } from './status.ts'

interface IncrementStep {
  readonly entity: EntitySettings
  readonly driver: Driver
  readonly scheduled: boolean
  readonly invocation: Invocation
}

/**
 * Carries out an increment in one invocation. It leaves nothing that another worker could continue: after a crash the
 * next increment covers its window.
 */
export async function stepIncrement(context: StepContext, step: IncrementStep): Promise<StepResponse> {
  const { state, now } = context
  const { entity, driver, scheduled, invocation } = step
  const driven = driver.kind === 'direct' ? undefined : driver
  const runId = driven?.runId ?? newRunId(now())
  // Only a caller of the API has created one.
  const own = driven && (await state.readIncrement(entity.name, runId))
  if (own && hasEnded(own)) {
    // What has cancelled it may have stopped before it released the lease.
    await state.releaseLease(entity.name, runId)
    return endResponse(own)
  }
  const run = own ?? newIncrement({ runId, entity, execution: driven?.execution, now: now() })
  const isStored = own !== undefined
  async function endAtOnce(end: IncrementEnd): Promise<StepResponse> {
    // An earlier worker of the run may have crashed in its middle.
    if (driven) await state.releaseLease(entity.name, runId)
    return finish(context, { run, isStored, end })
  }
  const published = driven && (await publishedBefore(context, entity.name, runId))
  if (published) return endAtOnce(published)
  if (driver.kind === 'record-failure') {
    const { name } = driver.error
    const reason = `The worker failed repeatedly (${name}). See its log, fix the cause and start the increment again.`
    return endAtOnce(failWith(reason).end)
  }
  const { increments } = entity
  if (!increments)
    return endAtOnce(skipWith('not-configured', 'Increments are not configured for the entity.').end)
  const kind = driven ? 'step' : 'direct'
  const claimant = { for: 'increment', kind, runId, worker: invocation.worker, scheduled } as const
  const claim = await claimEntity(state, entity.name, { claimant, now })
  if (claim.kind !== 'claimed') return endAtOnce(prevented(claim).end)
  const { increments: before, pageSize: rememberedPageSize } = claim.entityState
  // The same invocation again, after the increment has ended without a set. What it found is no longer known.
  if (before?.last.runId === runId && before.last.status === 'published' && before.window)
    return endAtOnce({ ...nothingNew, increment: { ...before.window, records: 0, older: 0, withoutId: 0 } })
  const deadline = invocation.killedAt - endMarginMs
  const begun = { lease: claim.lease, deadline, run, isStored, rememberedPageSize }
  const session = new IncrementSession(context, { entity: { ...entity, increments }, ...begun })
  const end = await runUntilInterrupted({ ...context, invocation }, session).catch(async (error: unknown) => {
    // After `LeaseLost`, another worker may have the increment and need its lease and slot.
    if (!(error instanceof LeaseLost)) await session.release().catch(() => undefined)
    throw error
  })
  await state.setIncrements(entity.name, nextStatus(before, end, { runId, now: now() }))
  await session.release()
  return finish(context, { run: session.run, isStored, end, after: before?.last ?? 'none' })
}

function prevented(by: Prevention) {
  if (by.kind === 'paused') return skipWith('paused', preventionText(by))
  if (by.kind !== 'in-progress') return skipWith('entity-busy', preventionText(by))
  const which =
    by.of === 'increment' ? `The increment ${by.runId}` : `The full sync ${by.runId} of this entity`
  return skipWith('entity-busy', `${which} is in progress.`)
}

const nothingNew = {
  status: 'published',
  proof: 'no-total',
  uniqueIds: 0,
  pages: 0,
  total: 0,
  manifest: null,
} as const

interface Finished {
  readonly run: ActiveIncrement
  /** Whether the run has an item. */
  readonly isStored: boolean
  readonly end: IncrementEnd
  /** How the previous increment ended, if there was one; absent if this one did not begin. */
  readonly after?: LastIncrement | 'none'
}

async function finish(context: StepContext, finished: Finished): Promise<StepResponse> {
  const { run, isStored, end } = finished
  const now = context.now()
  const ended =
    end.status === 'published'
      ? delivered(run, end, now)
      : unpublished(run, { status: end.status, reason: end.reason }, now)
  const { state } = context
  const isRecorded = isStored
    ? await state.endRun(ended, ['running', 'publishing'])
    : !isWorthAnItem(finished) || (await state.createRun(ended))
  if (!isRecorded) {
    // Another worker was given the same increment, and has recorded and reported how it ended.
    const stored = await state.readIncrement(run.entity, run.runId)
    const isPublished = end.status === 'published'
    if (stored && hasEnded(stored) && (stored.status === 'published' || !isPublished))
      return endResponse(stored)
    // It failed before this one had published.
    if (isPublished) await state.endRun(ended, ['failed', 'skipped'])
  }
  return reportEnd(context, ended)
}

/**
 * Increments that found nothing new, and those that are skipped on schedule every few minutes, would bury the others.
 * Of consecutive ones that are skipped for the same reason, only the first has an item. One that did not begin has
 * none: the run that prevented it has its own.
 */
function isWorthAnItem({ end, run, after }: Finished): boolean {
  switch (end.status) {
    case 'published':
      return end.manifest !== null
    case 'failed':
      return true
    case 'skipped':
      if (run.execution !== undefined || after === 'none') return true
      return after !== undefined && after.code !== end.code
  }
}

/**
 * How an increment ended whose worker published its set and crashed before it recorded that; undefined if no set was
 * published. A set that the chain lists is never written again. What readers already had is no longer known.
 */
async function publishedBefore(
  { changes }: Pick<StepContext, 'changes'>,
  entity: string,
  runId: string,
): Promise<Delivery | undefined> {
  // The increment itself fails because of what it cannot read.
  const chain = await changes.readLatest(entity).catch(absentIfUnreadable)
  if (!chain?.value.sets.some((set) => set.runId === runId)) return undefined
  const manifest = (await changes.readManifest(entity, runId))?.value
  if (manifest?.kind !== 'increment') return undefined
  const { from, to, proof, records, older, withoutId } = manifest
  const uniqueIds = records + older + withoutId
  const increment = { from, to, records, older, withoutId }
  const counted = { uniqueIds, pages: 0, total: uniqueIds, increment }
  return { status: 'published', proof, ...counted, manifest: setManifestKey(entity, runId) }
}
