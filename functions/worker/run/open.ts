import type { EntitySettings } from '../../runtime/settings.ts'
import { claimEntity } from '../../state/claim.ts'
import { asBegun, hasEnded, newRun, newRunId, type Run, runIdOfExecution } from '../../state/run.ts'
import type { StateStore } from '../../state/sync-state.aws.ts'
import type { SyncRequest } from '../request.ts'
import { createSession, type RunSession, type SessionOptions } from './session.ts'

export type OpenedRun =
  /** `isNew` if this worker made the run's item; `abandonedRuns` are runs of the entity that were left behind. */
  | {
      readonly kind: 'held'
      readonly session: RunSession
      readonly isNew: boolean
      readonly abandonedRuns: readonly string[]
    }
  | { readonly kind: 'ended'; readonly run: Run }
  /** Another run of the entity is under way; `run` is the own one that ends with that, if there is one. */
  | { readonly kind: 'skipped'; readonly runningRunId: string; readonly run?: Run }

/** Workers in a row that may die at the same page before the run is given up. */
const maxCrashes = 5

/** Finds or begins the run that a request is for, and takes hold of it for this worker. Throws `LeaseLost`. */
export async function openRun(
  options: SessionOptions & { readonly worker: string },
  entity: EntitySettings,
  request: SyncRequest,
): Promise<OpenedRun> {
  const { state, now, worker } = options
  const direct = request.execution === undefined
  const ownRunId =
    request.runId ?? (request.execution ? runIdOfExecution(request.execution) : newRunId(now()))
  const own = direct && !request.runId ? undefined : await state.readRun(entity.name, ownRunId)
  if (own && hasEnded(own)) {
    await state.release(entity.name, ownRunId)
    return { kind: 'ended', run: own }
  }

  const claimed = await claimEntity(state, entity.name, { runId: ownRunId, worker, direct, now })
  const { claim, lease, pageSize, abandonedRuns } = claimed
  if (claim.kind === 'skip') {
    return { kind: 'skipped', runningRunId: claim.runId, ...(own && { run: own }) }
  }
  const { runId } = lease
  const heldBy = (run: Run, isNew: boolean) => {
    const session = createSession(options, asBegun(entity, run), { run, lease })
    return { kind: 'held', session, isNew, abandonedRuns } as const
  }
  const clean = claim.kind === 'take' || claim.clean
  let mayBeThere = claim.kind === 'go-on' || own !== undefined
  for (;;) {
    const found = mayBeThere ? await state.readRun(entity.name, runId) : undefined
    if (found && hasEnded(found)) {
      await state.release(entity.name, runId)
      return { kind: 'ended', run: found }
    }
    // Made by this worker: the answer was lost, and the client's repeat found it there.
    if (found?.worker === worker) return heldBy(found, true)
    const begun = newRun({ runId, entity, acceptShrink: request.acceptShrink, now: now(), pageSize })
    const taken = await afterWorker(state, found ?? begun, { clean, worker, request, now: now() })
    if (found) return heldBy(await state.writeRun(taken), false)
    if (await state.createRun(taken)) return heldBy(taken, true)
    mayBeThere = true
  }
}

/** The run as its next worker takes it up. If the last one died, a request of its may have moved the cursor. */
async function afterWorker(
  state: StateStore,
  run: Run,
  { clean, worker, request, now }: { clean: boolean; worker: string; request: SyncRequest; now: number },
): Promise<Run> {
  const taken: Run = {
    ...run,
    worker,
    status: run.status === 'publishing' ? 'publishing' : 'running',
    reason: undefined,
    updatedAt: new Date(now).toISOString(),
    ...(request.execution && { execution: request.execution.id }),
  }
  if (clean) return taken
  const last = await state.lastPage(run.runId, run.attempt)
  const page = last?.page ?? 0
  const same = run.crashes?.attempt === run.attempt && run.crashes.page === page
  return {
    ...taken,
    // After the end nothing is asked for. Before the first page there is no cursor, but a dead worker's commit of
    // that page may still be on its way, and with it the request that followed.
    suspect: run.suspect || (!last?.end && run.status !== 'publishing'),
    crashes: { count: same ? (run.crashes?.count ?? 0) + 1 : 1, attempt: run.attempt, page },
  }
}

export function isCrashLooping(run: Run): boolean {
  return (run.crashes?.count ?? 0) >= maxCrashes
}
