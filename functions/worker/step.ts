import { createHash } from 'node:crypto'
import { LeaseLost } from '../../stored/lease.ts'
import { hasEnded } from '../../stored/run/run.ts'
import { publishing } from '../../stored/run/run-changes.ts'
import { republishedManifest, resultOfManifest, runPrefix } from '../../stored/snapshots/manifest.ts'
import { UnknownVersion } from '../../stored/unknown-version.ts'
import { isUnreadable } from '../../stored/unreadable-object.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { CaughtError } from '../task/caught-error.ts'
import type { AttemptContext, Invocation, StepContext } from './context.ts'
import { stepIncrement } from './increment/step-increment.ts'
import { settleAbandonedRuns } from './lifecycle/abandoned-runs.ts'
import { acceptChanges, acceptSnapshot, skipStart } from './lifecycle/accept.ts'
import { endUnpublished, failUnconfigured, failUnreadable, handOff, publishAndEnd } from './lifecycle/end.ts'
import { type ClaimedSession, openRun } from './lifecycle/open.ts'
import { isScrolling, type RunSession } from './lifecycle/session.ts'
import { waitForSlot } from './lifecycle/slot-wait.ts'
import { isCrashLooping } from './lifecycle/take-over.ts'
import { workOnRun } from './ranges/work.ts'
import { workWithRepeats } from './repeats/repeat.ts'
import { type Driver, isScheduled, runIdOf, type WorkerRequest } from './request.ts'
import { endResponse, noRunResponse, retryMs, type StepResponse, waitingResponse } from './response.ts'

/** Works on an entity's run until it ends, has to wait, or the time is up. */
export function step(
  context: StepContext,
  request: WorkerRequest,
  invocation: Invocation,
): Promise<StepResponse> {
  const { entity, job, driver } = request
  const work = () => stepConfigured(context, request, invocation)
  return job.kind === 'full' && driver.kind !== 'direct'
    ? workWithRepeats(context, { entity, driver }, work)
    : work()
}

async function stepConfigured(
  context: StepContext,
  request: WorkerRequest,
  invocation: Invocation,
): Promise<StepResponse> {
  const entity = context.settings.entities.find(({ name }) => name === request.entity)
  try {
    return entity
      ? await stepOf(context, entity, { request, invocation })
      : await failUnconfigured(context, request)
  } catch (error) {
    if (isUnreadable(error)) return failUnreadable(context, request, error)
    // Only the newer release that wrote an item can end its run.
    if (error instanceof UnknownVersion)
      return noRunResponse('failed', {
        entity: request.entity,
        runId: runIdOf(request) ?? null,
        reason: error.message,
      })
    if (error instanceof LeaseLost) return stopAfterLeaseLost(context, request, error)
    throw error
  }
}

async function stepOf(
  context: StepContext,
  entity: EntitySettings,
  { request, invocation }: { request: WorkerRequest; invocation: Invocation },
): Promise<StepResponse> {
  const { job, driver } = request
  const { worker } = invocation
  if (job.kind === 'increment')
    return stepIncrement(context, { entity, driver, scheduled: isScheduled(request), invocation })
  if (job.kind === 'accept' && driver.kind === 'step')
    return job.guard === 'changes'
      ? acceptChanges(context.state, { entity: entity.name, job, driver })
      : acceptSnapshot({ ...context, invocation }, { entity, job, driver, worker })
  const opened = await openRun({ context, entity, request, worker })
  switch (opened.kind) {
    case 'ended':
      return endResponse(opened.run)
    case 'skipped':
      return skipStart(context, { entity, request }, opened)
    case 'claimed':
      await settleAbandonedRuns(
        { ...context, invocation },
        { entity, abandonedRuns: opened.abandonedRuns, worker },
      )
      return workOn({ ...context, invocation }, opened, driver)
  }
}

async function workOn(
  context: AttemptContext,
  opened: ClaimedSession,
  driver: Driver,
): Promise<StepResponse> {
  const { session } = opened
  // Once a run is publishing, only the publication decides.
  if (session.run.status === 'publishing') return publishAndEnd(context, session)
  const reason = reasonToGiveUp(opened, driver)
  if (reason) return endUnpublished(context, session, { reason })
  if (!isScrolling(session)) return republish(context, session)
  if (!(await session.takeSlot())) return waitForSlot(context, session)
  return workOnRun(context, { session, publishedRunId: opened.publishedRunId })
}

/** Why the run cannot publish anything; undefined if it may. */
function reasonToGiveUp(
  { session: { run }, publishedRunId = '' }: ClaimedSession,
  driver: Driver,
): string | undefined {
  if (driver.kind === 'record-failure') return crashReason(driver.error)
  if (publishedRunId > run.runId) return `The newer run ${publishedRunId} has published already.`
  return isCrashLooping(run) ? 'Five workers in a row crashed at the same page. See their logs.' : undefined
}

const crashReasons: Readonly<Record<string, string>> = {
  'States.Timeout': 'The worker did not respond within its time limit',
  'Sandbox.Timedout': 'The worker did not stop within its time limit',
  'Lambda.TooManyRequestsException':
    'Lambda throttled the worker: the account has too many concurrent executions',
  'Lambda.Unknown': 'The worker ran out of memory or was stopped',
}

function crashReason({ name }: CaughtError): string {
  const what = crashReasons[name] ?? 'The worker failed repeatedly'
  return `${what} (${name}). See its log, fix the cause and start the sync again.`
}

/** Another worker has this run, or it was cancelled. This worker changes nothing more. */
async function stopAfterLeaseLost(
  { state }: Pick<StepContext, 'state'>,
  request: WorkerRequest,
  { message: reason }: LeaseLost,
): Promise<StepResponse> {
  const { entity } = request
  const runId = runIdOf(request)
  const run = runId === undefined ? undefined : await state.readRun(entity, runId)
  if (run && hasEnded(run)) {
    // Ending the run released its lease and slot, but this worker may have taken a slot since.
    await state.release(entity, run.runId)
    return endResponse(run)
  }
  return waitingResponse({ entity, runId: runId ?? null }, { reason, waitMs: retryMs })
}

const maxConcurrentCopies = 8
/** Between two renewals of the lease. */
const batchPages = 64

/**
 * Publishes copies of a kept snapshot's pages as a new run. The publisher compares them with the manifest. Guards and
 * comparison treat it like any other snapshot.
 */
async function republish(context: AttemptContext, session: RunSession): Promise<StepResponse> {
  const { snapshots, now, invocation } = context
  const { run } = session
  if (run.kind !== 'republication') throw new Error(`The run ${run.runId} republishes nothing.`)
  const { entity, runId, republishedFrom: from } = run
  const source = await snapshots.readManifest(entity, from)
  if (!source)
    return endUnpublished(context, session, { reason: `The snapshot of run ${from} is no longer kept.` })
  const manifest = republishedManifest(source, session.run)
  const stored = new Set(await Array.fromAsync(snapshots.listKeys(runPrefix(entity, runId))))
  const missing = manifest.pages
    .map(({ key }, index) => ({ key, from: source.pages[index]?.key ?? '' }))
    .filter(({ key }) => !stored.has(key))
  for (let at = 0; at < missing.length; at += batchPages) {
    if (now() >= invocation.handOffAt) return handOff(session)
    const batch = missing.slice(at, at + batchPages)
    const gone = await mapPooled(batch, maxConcurrentCopies, async (page) => {
      const body = await snapshots.readPage(page.from)
      if (!body) return page.from
      await snapshots.putPage(page.key, body, createHash('sha256').update(body).digest())
      return undefined
    })
    const key = gone.find((one) => one !== undefined)
    if (key !== undefined)
      return endUnpublished(context, session, { reason: `The page ${key} of the snapshot is gone.` })
    await session.renew()
  }
  await session.change((current) => publishing(current, resultOfManifest(manifest), now()))
  return publishAndEnd(context, session)
}
