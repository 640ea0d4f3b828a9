import type { EntitySettings } from '../environment.ts'
import { describeError } from '../log.ts'
import { metricFields } from '../metrics.ts'
import type { Hold } from './hold.ts'
import { diesEachTime, type OpenedRun, openRun } from './open-run.ts'
import { progressOf, startPosition } from './page.ts'
import { settlePredecessors } from './predecessors.ts'
import { judge, tallyPages } from './proof.ts'
import { type Counted, publish } from './publication.ts'
import type { SyncRequest } from './request.ts'
import {
  type EndedStatus,
  endableStatuses,
  hasEnded,
  newRun,
  type Run,
  type RunStatus,
  runIdOfExecution,
} from './run.ts'
import { scroll } from './scroll.ts'
import { scrollPorts } from './scroll-ports.ts'
import { Displaced } from './state-store.ts'
import { UnknownItemVersion } from './state-table-store.ts'
import type { Call, StepWorld } from './step-world.ts'

/** What the state machine decides by, and what a person sees who calls the function. */
export interface StepAnswer {
  readonly status: RunStatus
  readonly entity: string
  readonly runId: string | null
  readonly reason?: string
  /** With `waiting`: call again after so many seconds. */
  readonly waitSeconds?: number
  readonly attempt?: number
  readonly suspect?: boolean
  readonly pages?: number
  readonly documents?: number
  readonly total?: number
  readonly proof?: string
  readonly manifest?: string
}

const mostAttempts = 3

/** Works on an entity's run until it ends, waits for something, or the time is up. */
export async function step(world: StepWorld, request: SyncRequest, call: Call): Promise<StepAnswer> {
  const entity = world.settings.entities.find(({ name }) => name === request.entity)
  try {
    if (!entity) return await notConfigured(world, request)
    const opened = await openRun(holdOptions(world, call), entity, request)
    if (opened.kind === 'ended') return answerOf(opened.run)
    if (opened.kind === 'skipped') return await skip(world, entity, { request, opened })
    return await work(world, opened.hold, { request, call })
  } catch (error) {
    if (error instanceof UnknownItemVersion) return unreadable(request, error)
    if (!(error instanceof Displaced)) throw error
    return displaced(world, request, error.message)
  }
}

async function work(
  world: StepWorld,
  hold: Hold,
  { request, call }: { request: SyncRequest; call: Call },
): Promise<StepAnswer> {
  await settlePredecessors(world, hold.entity, call.worker)
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
    const position = (await world.state.lastPage(run.runId, run.attempt)) ?? startPosition(run.pageSize)
    const end = await scroll(
      {
        entity,
        tokenHeader: `${world.settings.upstream.headerPrefix}-MD-TOKEN`.toLowerCase(),
        position,
        trouble: run.trouble,
      },
      scrollPorts(world, hold, call),
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
        const tally = await tallyPages(world.state.pages(run.runId, run.attempt))
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
  const { attempt } = hold.run
  world.log('WARN', 'An attempt was given up.', { ...identity(hold.run), attempt, reason })
  if (attempt >= mostAttempts) {
    const failure = `After ${attempt} attempts the copy could not be shown whole. ${reason}`
    return endRun(world, hold, { status: 'failed', reason: failure })
  }
  const attemptStartedAt = new Date(world.now()).toISOString()
  await hold.save({ ...changes, attempt: attempt + 1, attemptStartedAt, suspect: false, trouble: undefined })
  return undefined
}

/** Ends the run, lets go of it and says so. The snapshot is published by then, or will never be. */
async function endRun(
  world: StepWorld,
  hold: Hold,
  end: Partial<Run> & { status: EndedStatus },
): Promise<StepAnswer> {
  // A publication knows how far the run came.
  const progress =
    end.pages === undefined
      ? progressOf(await world.state.lastPage(hold.run.runId, hold.run.attempt))
      : undefined
  await hold.save({ endedAt: new Date(world.now()).toISOString(), ...progress, ...end })
  await hold.release()
  const { run } = hold
  const { status, reason = '' } = run
  logEnd(world, run)
  if (status === 'refused' || status === 'failed') await announceEnd(world, run, reason)
  return answerOf(run)
}

/** One line a run, which is the row of its entity on the dashboard. */
function logEnd({ log, now }: StepWorld, run: Run): void {
  const { status, reason = '', attempt, pages, documents, uniqueIds, total, proof } = run
  const durationSeconds = (Date.parse(run.endedAt ?? run.updatedAt) - Date.parse(run.startedAt)) / 1000
  const counted = { attempt, pages, documents, uniqueIds, total, proof, durationSeconds }
  const metrics = {
    ...(status === 'published' && { RunsPublished: 1 }),
    ...(status === 'refused' && { RunsRefused: 1 }),
    ...(status === 'failed' && { RunsFailed: 1 }),
    RunSeconds: durationSeconds,
  }
  log(status === 'published' ? 'INFO' : 'WARN', 'A run has ended.', {
    ...identity(run),
    status,
    reason,
    ...counted,
    ...metricFields(metrics, { Entity: run.entity }, now()),
  })
}

async function announceEnd({ announce, log }: StepWorld, run: Run, reason: string): Promise<void> {
  const type = run.status === 'refused' ? ('Snapshot Refused' as const) : ('Sync Failed' as const)
  try {
    await announce({ type, detail: { ...identity(run), reason } })
  } catch (error) {
    log('ERROR', 'The event of a run that ended could not be sent.', {
      ...identity(run),
      error: describeError(error),
    })
  }
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

/** A duplicate start is no failure; it is kept with the entity's runs if a state machine drives it. */
async function skip(
  world: StepWorld,
  entity: EntitySettings,
  { request, opened }: { request: SyncRequest; opened: OpenedRun & { kind: 'skipped' } },
): Promise<StepAnswer> {
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
    ? await world.state.endRun(run, endableStatuses)
    : await world.state.createRun(run)
  if (written) return answerOf(run)
  // Somebody else has ended it in the meantime, or will: whoever works on the entity settles what is publishing.
  const current = (await world.state.readRun(entity.name, runId)) ?? run
  if (hasEnded(current)) return answerOf(current)
  return { ...answerOf(current), status: 'waiting', reason, waitSeconds: 15 }
}

/** Another worker has this run now, or it was cancelled: this one touches nothing more. */
async function displaced(world: StepWorld, request: SyncRequest, reason: string): Promise<StepAnswer> {
  const { entity } = request
  const runId = ownRunId(request)
  const run = runId ? await world.state.readRun(entity, runId) : undefined
  if (run && hasEnded(run)) return answerOf(run)
  return { status: 'waiting', entity, runId: runId ?? null, reason, waitSeconds: 15 }
}

/** What a newer release wrote is for that release to end: whatever this one wrote would be a guess. */
function unreadable(request: SyncRequest, { message }: UnknownItemVersion): StepAnswer {
  return { status: 'failed', entity: request.entity, runId: ownRunId(request) ?? null, reason: message }
}

/** Soon at first, then each minute: an execution's history has room for 25,000 events (Step Functions quotas). */
function slotPollMs({ startedAt }: Run, now: number): number {
  return now - Date.parse(startedAt) < 5 * 60_000 ? 15_000 : 60_000
}

function holdOptions({ state, now, settings }: StepWorld, { worker }: Call) {
  return { state, now, slots: settings.maxConcurrentSyncs, worker }
}

/** Ends the run of an entity that was taken out of the configuration while it went on. */
async function notConfigured(world: StepWorld, request: SyncRequest): Promise<StepAnswer> {
  const { settings, state } = world
  const known = settings.entities.map(({ name }) => name).join(', ') || 'none'
  const reason = `The entity '${request.entity}' is not configured. Configured are: ${known}.`
  const runId = ownRunId(request)
  const run = runId && (await state.readRun(request.entity, runId))
  if (!run) return { status: 'failed', entity: request.entity, runId: null, reason }
  const time = new Date(world.now()).toISOString()
  const ended: Run = { ...run, status: 'failed', reason, updatedAt: time, endedAt: time }
  if (!(await state.endRun(ended, endableStatuses)))
    return answerOf(hasEnded(run) ? run : { ...run, status: 'failed', reason })
  await state.releaseSlot(run.runId, settings.maxConcurrentSyncs)
  await state.releaseLease(run.entity, run.runId)
  await announceEnd(world, ended, reason)
  return answerOf(ended)
}

function ownRunId({ runId, execution }: SyncRequest): string | undefined {
  return runId ?? (execution && runIdOfExecution(execution))
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

function identity({ entity, runId }: Run) {
  return { entity, runId }
}

function answerOf(run: Run): StepAnswer {
  const { status, entity, runId, attempt, suspect, reason, pages, documents, total, proof, manifest } = run
  return {
    status,
    entity,
    runId,
    attempt,
    suspect,
    ...(reason !== undefined && { reason }),
    ...(pages !== undefined && { pages }),
    ...(documents !== undefined && { documents }),
    ...(total !== undefined && { total }),
    ...(proof !== undefined && { proof }),
    ...(manifest !== undefined && { manifest }),
  }
}
