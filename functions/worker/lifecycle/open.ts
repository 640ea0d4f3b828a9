import { type ClaimedEntity, claimEntity } from '../../../stored/claim/claim.ts'
import type { Prevention, SnapshotClaimant } from '../../../stored/claim/decisions.ts'
import type { Position } from '../../../stored/pages/page.ts'
import { positionsOf } from '../../../stored/run/attempts.ts'
import { runOf } from '../../../stored/run/job.ts'
import { type ActiveRun, type EndedRun, hasEnded, newRunId } from '../../../stored/run/run.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { executionOf, isScheduled, repeatOf, runIdOf, type WorkerRequest } from '../request.ts'
import type { SessionContext } from '../session.ts'
import { RunSession } from './session.ts'
import { takeOver } from './take-over.ts'

export type OpenedRun =
  | ClaimedSession
  | { readonly kind: 'ended'; readonly run: EndedRun }
  /** The run does not begin. `own`: the request's run if it has an item. */
  | { readonly kind: 'skipped'; readonly because: Prevention; readonly own: ActiveRun | undefined }

export interface ClaimedSession {
  readonly kind: 'claimed'
  readonly session: RunSession
  /** Runs of the entity whose workers are gone, to be settled. */
  readonly abandonedRuns: readonly string[]
  /** The run whose snapshot is published; undefined if there is none. */
  readonly publishedRunId: string | undefined
}

interface Opening {
  readonly context: SessionContext
  readonly entity: EntitySettings
  readonly request: WorkerRequest
  readonly worker: string
}

/** Finds or begins the run of a request, and claims it for this worker. Throws `LeaseLost`. */
export async function openRun(opening: Opening): Promise<OpenedRun> {
  const { context, entity, request, worker } = opening
  const { state, now } = context
  const runId = runIdOf(request)
  const own = runId === undefined ? undefined : await state.readRun(entity.name, runId)
  if (own && hasEnded(own)) return alreadyEnded(opening, own)

  const scheduled = own === undefined && isScheduled(request)
  const claimant = { ...claimantOf(request, worker, now()), scheduled }
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind !== 'claimed') return { kind: 'skipped', because: claimed, own }
  for (;;) {
    const opened = (await continueRun(opening, claimed)) ?? (await beginRun(opening, claimed))
    if (opened) return opened
  }
}

/** Undefined if the run has no item. */
async function continueRun(opening: Opening, claimed: ClaimedEntity): Promise<OpenedRun | undefined> {
  const { context, entity } = opening
  const { state } = context
  const found = await state.readRun(entity.name, claimed.lease.runId)
  if (!found) return undefined
  if (hasEnded(found)) return alreadyEnded(opening, found)
  const positions = await positionsOf(state, found)
  const run = await state.writeRun(takenOver(opening, claimed, { run: found, positions }))
  return claimedSession(opening, claimed, run)
}

/** Undefined if the run has an item. */
async function beginRun(opening: Opening, claimed: ClaimedEntity): Promise<ClaimedSession | undefined> {
  const { context } = opening
  const begun = requestedRun(opening, { runId: claimed.lease.runId, now: context.now() })
  const run = takenOver(opening, claimed, { run: begun, positions: [] })
  if (!(await context.state.createRun(run))) return undefined
  return claimedSession(opening, claimed, run)
}

export function requestedRun(
  { entity, request }: Pick<Opening, 'entity' | 'request'>,
  { runId, now }: { readonly runId: string; readonly now: number },
): ActiveRun {
  const { job } = request
  const isSnapshot = job.kind === 'full' || job.kind === 'republish'
  return runOf(isSnapshot ? job : { kind: 'full' }, {
    runId,
    entity,
    execution: executionOf(request),
    repeat: repeatOf(request),
    now,
  })
}

function takenOver(
  { context, entity, request, worker }: Opening,
  { decision, entityState }: ClaimedEntity,
  { run, positions }: { run: ActiveRun; positions: readonly (Position | undefined)[] },
) {
  return takeOver(run, {
    worker,
    execution: executionOf(request),
    entity,
    rememberedPageSize: entityState.pageSize,
    after: decision.kind === 'begin' ? 'hand-off' : decision.after,
    positions,
    now: context.now(),
  })
}

function claimedSession(
  { context, entity }: Opening,
  { lease, abandonedRuns, entityState: { pageSize, latest, progress } }: ClaimedEntity,
  run: ActiveRun,
): ClaimedSession {
  const scrolls = progress?.runId === run.runId ? progress.scrolls : []
  const session = new RunSession(context, { entity, rememberedPageSize: pageSize, run, lease }, scrolls)
  return { kind: 'claimed', session, abandonedRuns, publishedRunId: latest?.runId }
}

async function alreadyEnded({ context, entity }: Opening, run: EndedRun): Promise<OpenedRun> {
  await context.state.release(entity.name, run.runId)
  return { kind: 'ended', run }
}

function claimantOf(request: WorkerRequest, worker: string, now: number): SnapshotClaimant {
  const runId = runIdOf(request)
  return runId === undefined
    ? { for: 'snapshot', kind: 'direct', runId: newRunId(now), worker }
    : { for: 'snapshot', kind: 'step', runId, worker }
}
