import { UnknownItemVersion } from '../item-version.ts'
import { endRun } from './end-run.ts'
import type { Hold } from './hold.ts'
import { displaced, notConfigured, skip, unreadable } from './not-worked-on.ts'
import { diesEachTime, type OpenedRun, openRun } from './open-run.ts'
import { startPosition } from './page.ts'
import { settlePredecessors } from './predecessors.ts'
import { judge, PageTally, tallyPages } from './proof.ts'
import { type Counted, publish } from './publication.ts'
import type { SyncRequest } from './request.ts'
import type { Run } from './run.ts'
import { scroll } from './scroll.ts'
import { scrollPorts } from './scroll-ports.ts'
import { Displaced } from './state-store.ts'
import { answerOf, type StepAnswer } from './step-answer.ts'
import type { Call, StepWorld } from './step-world.ts'

const mostAttempts = 3

/** Works on an entity's run until it ends, waits for something, or the time is up. */
export async function step(world: StepWorld, request: SyncRequest, call: Call): Promise<StepAnswer> {
  const entity = world.settings.entities.find(({ name }) => name === request.entity)
  try {
    if (!entity) return await notConfigured(world, request)
    const opened = await openRun(holdOptions(world, call), entity, request)
    if (opened.kind === 'ended') return answerOf(opened.run)
    if (opened.kind === 'skipped') return await skip(world, entity, { request, opened })
    return await work(world, opened, { request, call })
  } catch (error) {
    if (error instanceof UnknownItemVersion) return unreadable(request, error)
    if (!(error instanceof Displaced)) throw error
    return displaced(world, request, error.message)
  }
}

async function work(
  world: StepWorld,
  { hold, isNew, unsettled }: OpenedRun & { kind: 'held' },
  { request, call }: { request: SyncRequest; call: Call },
): Promise<StepAnswer> {
  await settlePredecessors(world, hold.entity, { worker: call.worker, unsettled })
  const hopeless = reasonToGiveUp(hold.run, request)
  if (hopeless) return endRun(world, hold, { status: 'failed', reason: hopeless })
  // Publication asks nothing of the platform, so it needs no place and never waits for one.
  if (hold.run.status !== 'publishing' && !(await hold.takeSlot())) {
    const reason = `All ${world.settings.maxConcurrentSyncs} places for concurrent syncs are taken.`
    return handOn(hold, 'waiting', { waitMs: slotPollMs(hold.run, world.now()), reason })
  }
  let counted: Counted | undefined
  for (;;) {
    const { run, entity } = hold
    if (run.status === 'publishing') {
      await hold.renew()
      return endRun(world, hold, await publish(world, run, { entity, counted }))
    }
    const begins = isNew && run.attempt === 1
    const last = begins ? undefined : await world.state.lastPage(run.runId, run.attempt)
    const position = last ?? startPosition(run.pageSize)
    // What this worker has committed from the first page on it need not read again to count it.
    using along = last ? undefined : new PageTally()
    const end = await scroll(
      {
        entity,
        tokenHeader: `${world.settings.upstream.headerPrefix}-MD-TOKEN`.toLowerCase(),
        position,
        trouble: run.trouble,
      },
      scrollPorts(world, hold, { call, along }),
    )
    const { pageSize, trouble, reason = '' } = end
    switch (end.kind) {
      case 'time-is-up':
        return handOn(hold, 'running', { waitMs: 0, trouble, pageSize })
      case 'wait':
        return handOn(hold, 'waiting', { waitMs: end.waitMs ?? 0, reason, trouble, pageSize })
      case 'failed':
        return endRun(world, hold, { status: 'failed', reason })
      case 'new-attempt': {
        const given = await giveUpAttempt(world, hold, { reason, pageSize })
        if (given) return given
        break
      }
      case 'ended': {
        if (world.now() >= call.handOverAt) return handOn(hold, 'running', { waitMs: 0, pageSize })
        const tally = along?.result() ?? (await tallyPages(world.state.pages(run.runId, run.attempt)))
        counted = { tally, position: end.position }
        const unproven = await prove(world, hold, counted)
        if (unproven) return unproven
        break
      }
    }
  }
}

/** Judges an attempt by its count. If it is whole the run turns to `publishing`, if not a new attempt begins. */
async function prove(
  world: StepWorld,
  hold: Hold,
  { tally: { documents, uniqueIds }, position }: Counted,
): Promise<StepAnswer | undefined> {
  const { run, entity } = hold
  const verdict = judge({
    uniqueIds,
    total: position.total,
    pageSize: position.pageSize,
    suspect: run.suspect,
    tolerancePercent: entity.totalTolerancePercent,
    earlierCleanCounts: run.cleanCounts,
  })
  if (!verdict.whole) {
    const cleanCounts = run.suspect ? run.cleanCounts : [...run.cleanCounts, uniqueIds]
    return giveUpAttempt(world, hold, { reason: verdict.reason, pageSize: position.pageSize, cleanCounts })
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
  await hold.save({ status: 'publishing', result })
  return undefined
}

async function giveUpAttempt(
  world: StepWorld,
  hold: Hold,
  { reason, ...changes }: { reason: string; pageSize: number; cleanCounts?: readonly number[] },
): Promise<StepAnswer | undefined> {
  const { entity, runId, attempt } = hold.run
  world.log('WARN', 'An attempt was given up.', { entity, runId, attempt, reason })
  if (attempt >= mostAttempts) {
    const failure = `After ${attempt} attempts the copy could not be shown whole. ${reason}`
    return endRun(world, hold, { status: 'failed', reason: failure })
  }
  const attemptStartedAt = new Date(world.now()).toISOString()
  await hold.save({ ...changes, attempt: attempt + 1, attemptStartedAt, suspect: false, trouble: undefined })
  return undefined
}

async function handOn(
  hold: Hold,
  status: 'running' | 'waiting',
  { waitMs, ...changes }: { waitMs: number } & Partial<Run>,
): Promise<StepAnswer> {
  await hold.save({ status, ...changes })
  await hold.handOn(waitMs)
  return { ...answerOf(hold.run), waitSeconds: Math.ceil(waitMs / 1000) }
}

/** Soon at first, then each minute: an execution's history has room for 25,000 events (Step Functions quotas). */
function slotPollMs({ startedAt }: Run, now: number): number {
  return now - Date.parse(startedAt) < 5 * 60_000 ? 15_000 : 60_000
}

function holdOptions({ state, now, settings }: StepWorld, { worker }: Call) {
  return { state, now, slots: settings.maxConcurrentSyncs, worker }
}

/** Why a run is not worked on any more. Once it is `publishing` only the publication itself decides. */
function reasonToGiveUp(run: Run, request: SyncRequest): string | undefined {
  if (run.status === 'publishing') return undefined
  if (request.task === 'record-failure') return crashReason(request)
  return diesEachTime(run) ? 'Five workers in a row died at the same page: see their logs.' : undefined
}

function crashReason({ error }: SyncRequest): string {
  const name =
    typeof error === 'object' && error !== null && 'Error' in error ? String(error.Error) : 'unknown'
  return `The worker failed and went on failing (${name}): see its log. Start the sync again when it is mended.`
}
