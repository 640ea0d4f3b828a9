import { headerName, platformHeaders } from '../platform/headers.ts'
import { UnknownItemVersion } from '../state/item-version.ts'
import { startPosition } from '../state/page.ts'
import type { Run } from '../state/run.ts'
import { LeaseLost } from '../state/sync-state.aws.ts'
import type { Call, StepContext } from './context.ts'
import { decideProof } from './proof/decision.ts'
import { countPages, PageCount } from './proof/page-count.ts'
import { type Counted, publish } from './publish/publish.ts'
import type { SyncRequest } from './request.ts'
import { responseOf, type StepResponse } from './response.ts'
import { settleAbandonedRuns } from './run/abandoned-runs.ts'
import { leaseLost, notConfigured, skip, unreadable } from './run/early-exits.ts'
import { endRun } from './run/end.ts'
import { isCrashLooping, type OpenedRun, openRun } from './run/open.ts'
import type { RunSession } from './run/session.ts'
import { slotPollMs } from './run/slot-poll.ts'
import { scrollIo } from './scroll/io.ts'
import { scroll } from './scroll/loop.ts'

const maxAttempts = 3

/** Works on an entity's run until it ends, waits for something, or the time is up. */
export async function step(world: StepContext, request: SyncRequest, call: Call): Promise<StepResponse> {
  const entity = world.settings.entities.find(({ name }) => name === request.entity)
  try {
    if (!entity) return await notConfigured(world, request)
    const opened = await openRun(sessionOptions(world, call), entity, request)
    if (opened.kind === 'ended') return responseOf(opened.run)
    if (opened.kind === 'skipped') return await skip(world, entity, { request, opened })
    return await work(world, opened, { request, call })
  } catch (error) {
    if (error instanceof UnknownItemVersion) return unreadable(request, error)
    if (!(error instanceof LeaseLost)) throw error
    return leaseLost(world, request, error.message)
  }
}

async function work(
  world: StepContext,
  { session, isNew, abandonedRuns }: OpenedRun & { kind: 'held' },
  { request, call }: { request: SyncRequest; call: Call },
): Promise<StepResponse> {
  await settleAbandonedRuns(world, session.entity, { worker: call.worker, abandonedRuns })
  const hopeless = reasonToGiveUp(session.run, request)
  if (hopeless) return endRun(world, session, { status: 'failed', reason: hopeless })
  // Publication asks nothing of the platform, so it needs no place and never waits for one.
  if (session.run.status !== 'publishing' && !(await session.takeSlot())) {
    const reason = `All ${world.settings.maxConcurrentSyncs} places for concurrent syncs are taken.`
    return handOff(session, 'waiting', {
      waitMs: slotPollMs(world.now() - Date.parse(session.run.startedAt)),
      reason,
    })
  }
  let counted: Counted | undefined
  for (;;) {
    const { run, entity } = session
    if (run.status === 'publishing') {
      await session.renew()
      return endRun(world, session, await publish(world, run, { entity, counted }))
    }
    const begins = isNew && run.attempt === 1
    const last = begins ? undefined : await world.state.lastPage(run.runId, run.attempt)
    const position = last ?? startPosition(run.pageSize)
    // What this worker has committed from the first page on it need not read again to count it.
    using along = last ? undefined : new PageCount()
    const end = await scroll(
      {
        entity,
        tokenHeader: headerName(platformHeaders.scrollToken, world.settings.upstream.headerPrefix),
        position,
        retryState: run.retryState,
      },
      scrollIo(world, session, { call, along }),
    )
    const { pageSize, retryState, reason = '' } = end
    switch (end.kind) {
      case 'time-is-up':
        return handOff(session, 'running', { waitMs: 0, retryState, pageSize })
      case 'wait':
        return handOff(session, 'waiting', { waitMs: end.waitMs ?? 0, reason, retryState, pageSize })
      case 'failed':
        return endRun(world, session, { status: 'failed', reason })
      case 'new-attempt': {
        const given = await giveUpAttempt(world, session, { reason, pageSize })
        if (given) return given
        break
      }
      case 'ended': {
        if (world.now() >= call.handOffAt) return handOff(session, 'running', { waitMs: 0, pageSize })
        const tally = along?.result() ?? (await countPages(world.state.pages(run.runId, run.attempt)))
        counted = { tally, position: end.position }
        const unproven = await prove(world, session, counted)
        if (unproven) return unproven
        break
      }
    }
  }
}

/** Judges an attempt by its count. If it is whole the run turns to `publishing`, if not a new attempt begins. */
async function prove(
  world: StepContext,
  session: RunSession,
  { tally: { documents, uniqueIds }, position }: Counted,
): Promise<StepResponse | undefined> {
  const { run, entity } = session
  const verdict = decideProof({
    uniqueIds,
    total: position.total,
    pageSize: position.pageSize,
    suspect: run.suspect,
    tolerancePercent: entity.totalTolerancePercent,
    earlierCleanCounts: run.cleanCounts,
  })
  if (!verdict.whole) {
    const cleanCounts = run.suspect ? run.cleanCounts : [...run.cleanCounts, uniqueIds]
    return giveUpAttempt(world, session, { reason: verdict.reason, pageSize: position.pageSize, cleanCounts })
  }
  if (position.pageSize !== entity.pageSize) await world.state.setPageSize(entity.name, position.pageSize)
  const now = world.now()
  const spent = {
    requests: run.requests,
    receivedBytes: run.receivedBytes,
    milliseconds: now - Date.parse(run.startedAt),
  }
  const finishedAt = new Date(now).toISOString()
  const result = { proof: verdict.proof, documents, uniqueIds, finishedAt, spent }
  await session.save({ status: 'publishing', result })
  return undefined
}

async function giveUpAttempt(
  world: StepContext,
  session: RunSession,
  { reason, ...changes }: { reason: string; pageSize: number; cleanCounts?: readonly number[] },
): Promise<StepResponse | undefined> {
  const { entity, runId, attempt } = session.run
  world.log('WARN', 'An attempt was given up.', { entity, runId, attempt, reason })
  if (attempt >= maxAttempts) {
    const failure = `After ${attempt} attempts the copy could not be shown whole. ${reason}`
    return endRun(world, session, { status: 'failed', reason: failure })
  }
  const attemptStartedAt = new Date(world.now()).toISOString()
  await session.save({
    ...changes,
    attempt: attempt + 1,
    attemptStartedAt,
    suspect: false,
    retryState: undefined,
  })
  return undefined
}

async function handOff(
  session: RunSession,
  status: 'running' | 'waiting',
  { waitMs, ...changes }: { waitMs: number } & Partial<Run>,
): Promise<StepResponse> {
  await session.save({ status, ...changes })
  await session.handOff(waitMs)
  return { ...responseOf(session.run), waitSeconds: Math.ceil(waitMs / 1000) }
}

function sessionOptions({ state, now, settings }: StepContext, { worker }: Call) {
  return { state, now, slots: settings.maxConcurrentSyncs, worker }
}

/** Why a run is not worked on any more. Once it is `publishing` only the publication itself decides. */
function reasonToGiveUp(run: Run, request: SyncRequest): string | undefined {
  if (run.status === 'publishing') return undefined
  if (request.task === 'record-failure') return crashReason(request)
  return isCrashLooping(run) ? 'Five workers in a row died at the same page: see their logs.' : undefined
}

function crashReason({ error }: SyncRequest): string {
  const name =
    typeof error === 'object' && error !== null && 'Error' in error ? String(error.Error) : 'unknown'
  return `The worker failed and went on failing (${name}): see its log. Start the sync again when it is mended.`
}
