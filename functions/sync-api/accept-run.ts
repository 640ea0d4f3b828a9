import { randomBytes } from 'node:crypto'
import { ProblemError } from '../http/problem.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import {
  readAcceptableChanges,
  whyNotAnymore,
  whyNotWithChanges,
} from '../state/changes/acceptable-changes.ts'
import type { ChangeSetStore } from '../state/changes/change-sets.aws.ts'
import { claimEntity, needsLease } from '../state/claim/claim.ts'
import { isSnapshotLease, type SnapshotLease } from '../state/lease.ts'
import { type AcceptedGuard, acceptanceOf, acceptedGuard, type Run } from '../state/run/run.ts'
import { readAcceptability } from '../state/snapshots/acceptable.ts'
import type { SnapshotStore } from '../state/snapshots/snapshots.aws.ts'
import type { StateStore } from '../state/sync-state.ts'
import { existingRun } from './entities.ts'
import type { ExecutionStore } from './executions.aws.ts'

export interface AcceptContext {
  readonly state: StateStore
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused' | 'listKeys'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly executions: Pick<ExecutionStore, 'start'>
  readonly now: () => number
}

/** What a caller accepts. */
export type AcceptedRefusal = AcceptedGuard & {
  readonly entity: EntitySettings
  readonly runId: string
  /** Who accepts it. */
  readonly by: string
}

/** Accepted, or the run that prevents it. */
export type AcceptOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'already-running'; readonly runId: string }

const isAccepted: AcceptOutcome = { kind: 'accepted' }
const preventedBy = (runId: string): AcceptOutcome => ({ kind: 'already-running', runId })

/**
 * Starts the execution that publishes what a guard refused. Does nothing if that has been accepted before. A caller does
 * not wait for it, so the lease is taken here: a 202 could otherwise end as what is a 409. Command line and console wait,
 * report what the worker finds, and need no permission to write.
 */
export async function acceptRun(context: AcceptContext, accepted: AcceptedRefusal): Promise<AcceptOutcome> {
  const { entity, runId } = accepted
  const run = await existingRun(context.state, entity, runId)
  return accepted.guard === 'snapshot'
    ? acceptSnapshot(context, accepted, run)
    : acceptChanges(context, accepted)
}

type AcceptedSnapshot = Extract<AcceptedRefusal, { guard: 'snapshot' }>

async function acceptSnapshot(
  context: AcceptContext,
  accepted: AcceptedSnapshot,
  run: Run,
): Promise<AcceptOutcome> {
  const { state, snapshots, now } = context
  const { entity, runId, withChanges } = accepted
  const refuseIf = (reason: string | undefined) => {
    if (reason !== undefined) throw new ProblemError('not-acceptable', reason, { runId })
  }
  const { lease } = await state.readEntity(entity.name)
  const own = isSnapshotLease(lease) && lease.runId === runId ? lease : undefined
  const pending = own?.accepts && own.until > now() ? own : undefined
  if (pending) {
    if (withChanges) refuseIf(whyNotAnymore(runId, pending))
    return startPending(context, accepted, pending)
  }
  const decided = acceptanceOf(run)
  if (withChanges) refuseIf(whyNotAnymore(runId, decided))
  if (decided) return isAccepted
  const found = await readAcceptability(snapshots, entity, run)
  if (found.kind === 'unacceptable') throw new ProblemError('not-acceptable', found.reason, { runId })
  if (withChanges) refuseIf(await whyNotWithChanges(context, entity, found.run))
  const name = executionName(runId)
  const claim = { kind: 'start', runId, worker: workerOf(name) } as const
  const claimant = { ...claim, for: 'snapshot', accepts: true, withChanges } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind === 'in-progress') return preventedBy(claimed.runId)
  try {
    await start(context, accepted, name)
  } catch (error) {
    await state.release(entity.name, runId)
    throw error
  }
  return isAccepted
}

const workerPrefix = 'accept#'
const workerOf = (name: string) => `${workerPrefix}${name}`

/**
 * The function may have stopped between taking the lease and starting the execution. If it did not, a second start with
 * the same name has no effect.
 */
async function startPending(
  context: AcceptContext,
  { entity, runId, guard, by }: AcceptedSnapshot,
  { worker, withChanges }: SnapshotLease,
): Promise<AcceptOutcome> {
  const decided = { entity, runId, by, ...acceptedGuard(guard, withChanges) }
  if (worker.startsWith(workerPrefix)) await start(context, decided, worker.slice(workerPrefix.length))
  return isAccepted
}

/** A comparison needs no lease, and a repeated one finds that its set is the tip. */
async function acceptChanges(context: AcceptContext, accepted: AcceptedRefusal): Promise<AcceptOutcome> {
  const { state, snapshots, changes, now } = context
  const { entity, runId } = accepted
  const { lease } = await state.readEntity(entity.name)
  if (lease && lease.runId !== runId && lease.until > now()) {
    const owner = await state.findRun(entity.name, lease.runId)
    if (needsLease(lease, owner, now())) return preventedBy(lease.runId)
  }
  const [latest, chain] = await Promise.all([
    snapshots.readLatest(entity.name),
    changes.readLatest(entity.name),
  ])
  if (chain?.value.sets.some((set) => set.runId === runId)) {
    const set = await changes.readManifest(entity.name, runId)
    if (set?.value.by) return isAccepted
  }
  const found = await readAcceptableChanges(
    { snapshots, changes },
    { entity: entity.name, runId, latest: latest?.value, chain: chain?.value },
  )
  if (found.kind === 'unacceptable') throw new ProblemError('not-acceptable', found.reason, { runId })
  await start(context, accepted, executionName(runId))
  return isAccepted
}

const executionName = (runId: string) => `accept-${runId}-${randomBytes(6).toString('hex')}`

function start(
  { executions }: AcceptContext,
  { entity, ...accept }: AcceptedRefusal,
  name: string,
): Promise<void> {
  return executions.start(name, { entity: entity.name, accept })
}
