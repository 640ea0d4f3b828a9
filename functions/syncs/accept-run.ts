import { randomBytes } from 'node:crypto'
import {
  readAcceptableChanges,
  whyNotAnymore,
  whyNotWithChanges,
} from '../../stored/changes/acceptable-changes.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { RefusedChanges } from '../../stored/changes/changes.ts'
import { claimEntity, needsLease } from '../../stored/claim/claim.ts'
import type { EntityState } from '../../stored/entity-items.ts'
import { inUse } from '../../stored/lease.ts'
import { acceptanceInput } from '../../stored/run/job.ts'
import { type AcceptedGuard, acceptanceOf, acceptedGuard } from '../../stored/run/run.ts'
import { readAcceptability } from '../../stored/snapshots/acceptable.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import { ProblemError } from '../http/result.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { ExecutionStore } from './executions.aws.ts'
import { existingRun } from './syncs.ts'

export interface AcceptContext {
  readonly state: StateStore
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused' | 'listKeys'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly executions: Pick<ExecutionStore, 'start'>
  readonly now: () => number
}

export type AcceptedRefusal = AcceptedGuard & {
  readonly entity: EntitySettings
  readonly runId: string
  readonly by: string
}

/**
 * Starts the execution that publishes what a guard refused. Does nothing if that has been accepted before. Returns the
 * run that prevents it, if one does. A caller does not wait, so a snapshot's lease is taken here: a 202 could otherwise
 * end as what is a 409. Command line and console wait, report what the worker finds, and need no permission to write.
 */
export async function acceptRun(
  context: AcceptContext,
  accepted: AcceptedRefusal,
): Promise<string | undefined> {
  await existingRun(context.state, accepted.entity, accepted.runId)
  return accepted.guard === 'snapshot' ? acceptSnapshot(context, accepted) : acceptChanges(context, accepted)
}

const workerPrefix = 'accept#'

type AcceptedSnapshot = Extract<AcceptedRefusal, { guard: 'snapshot' }>

async function acceptSnapshot(
  context: AcceptContext,
  accepted: AcceptedSnapshot,
): Promise<string | undefined> {
  const { state, now } = context
  const { entity, runId, by, withChanges } = accepted
  if (await wasAccepted(context, accepted)) return undefined
  const name = executionName(runId)
  const claim = { kind: 'start', runId, worker: `${workerPrefix}${name}` } as const
  const claimant = { ...claim, for: 'snapshot', accepts: true, withChanges } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind === 'in-progress') return claimed.runId
  if (claimed.kind === 'accepted') {
    const { worker, withChanges: decided } = claimed.lease
    refuseIf(runId, withChanges && whyNotAnymore(runId, claimed.lease))
    // Who took the lease may have stopped before it started the execution. If not, a second start has no effect.
    const pending = { ...acceptedGuard('snapshot', { withChanges: decided }), entity, runId, by }
    if (worker.startsWith(workerPrefix)) await start(context, pending, worker.slice(workerPrefix.length))
    return undefined
  }
  let isStarted = false
  try {
    // Another run may have published before the lease was taken, and so may another acceptance of this one.
    if (await wasAccepted(context, accepted)) return undefined
    await start(context, accepted, name)
    isStarted = true
    return undefined
  } finally {
    if (!isStarted) await state.release(entity.name, runId, claim)
  }
}

/** Whether a person has accepted the run before. Throws `ProblemError` if it cannot be accepted, or not with its set. */
async function wasAccepted(
  context: AcceptContext,
  { entity, runId, withChanges }: AcceptedSnapshot,
): Promise<boolean> {
  const readRun = () => existingRun(context.state, entity, runId)
  const found = await readAcceptability(context.snapshots, entity, await readRun())
  const why =
    found.kind === 'unacceptable'
      ? found.reason
      : withChanges && (await whyNotWithChanges(context, entity, found.run))
  // Read last: what was refused is gone as soon as it is published.
  const decided = acceptanceOf(await readRun())
  refuseIf(runId, decided ? withChanges && whyNotAnymore(runId, decided) : why)
  return decided !== undefined
}

function refuseIf(runId: string, reason: string | false | undefined): void {
  if (reason) throw notAcceptable(runId, reason)
}

const notAcceptable = (runId: string, reason: string) => new ProblemError('not-acceptable', reason, { runId })

/**
 * A comparison needs no lease. Its acceptance is stored before its execution is started, so a request that repeats it at
 * the same time, or after a crash, starts the same one. It is accepted again only after that has ended without a set.
 */
async function acceptChanges(context: AcceptContext, accepted: AcceptedRefusal): Promise<string | undefined> {
  const { state } = context
  const { entity, runId, by } = accepted
  for (let ended: string | undefined; ; ) {
    const entityState = await state.readEntity(entity.name)
    const refused = await readRefusedSet(context, accepted)
    if (refused === 'accepted') return undefined
    const { acceptedChanges: seen } = entityState
    const known = seen?.runId === runId && seen.execution !== ended ? seen : undefined
    const prevented = known ? undefined : await runInProgress(context, accepted, entityState)
    if (prevented !== undefined) return prevented
    const acceptance = known ?? { runId, by, execution: executionName(runId), refusedAt: refused.refusedAt }
    if (!known && !(await state.acceptChanges(entity.name, { seen, acceptance }))) continue
    const decided = { entity, ...acceptance, guard: 'changes' } as const
    if (await start(context, decided, acceptance.execution)) return undefined
    ended = acceptance.execution
  }
}

/** What the comparison of the run refused, unless it was published as a person accepted it. Throws `ProblemError`. */
async function readRefusedSet(
  { snapshots, changes }: AcceptContext,
  { entity, runId }: AcceptedRefusal,
): Promise<RefusedChanges | 'accepted'> {
  const { name } = entity
  const [latest, chain] = await Promise.all([snapshots.readLatest(name), changes.readLatest(name)])
  if (chain?.value.sets.some((set) => set.runId === runId)) {
    const set = await changes.readManifest(name, runId)
    if (set?.value.by) return 'accepted'
  }
  const known = { entity: name, runId, latest: latest?.value, chain: chain?.value }
  const found = await readAcceptableChanges({ snapshots, changes }, known)
  if (found.kind === 'unacceptable') throw notAcceptable(runId, found.reason)
  return found.refused
}

/** Another run that has the lease. */
async function runInProgress(
  { state, now }: AcceptContext,
  { entity, runId }: AcceptedRefusal,
  { lease }: EntityState,
): Promise<string | undefined> {
  if (!inUse(lease, now()) || lease.runId === runId) return undefined
  const owner = await state.findRun(entity.name, lease.runId)
  return needsLease(lease, owner, now()) ? lease.runId : undefined
}

const executionName = (runId: string) => `accept-${runId}-${randomBytes(6).toString('hex')}`

/** False if the execution has ended. */
const start = (context: AcceptContext, { entity, ...accepted }: AcceptedRefusal, name: string) =>
  context.executions.start(name, acceptanceInput(entity.name, accepted))
