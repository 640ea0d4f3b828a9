import { ProblemError } from '../http/problem.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { claimEntity } from '../state/claim/claim.ts'
import { claimIncrement } from '../state/claim/claim-increment.ts'
import { inputOf, runOf, type StartedJob } from '../state/run/job.ts'
import { newRunId } from '../state/run/run.ts'
import type { StateStore } from '../state/sync-state.ts'
import { endFromOutside } from './end-run.ts'
import type { ExecutionStore } from './executions.aws.ts'

export interface StartContext {
  readonly state: StateStore
  readonly executions: Pick<ExecutionStore, 'arnOf' | 'start'>
  /** By the clock of AWS: run ids and leases of other workers are compared with it. */
  readonly now: () => number
}

/** A started run, which can be read from then on, or the run that prevents the start. */
export interface Start {
  readonly kind: 'started' | 'already-running'
  readonly runId: string
}

/**
 * Creates a run of an entity and starts the execution that drives it. Its worker replaces the configuration with which
 * the run was created. Throws `ProblemError` for an increment of an entity without increments.
 */
export async function startSync(
  { state, executions, now }: StartContext,
  entity: EntitySettings,
  job: StartedJob,
): Promise<Start> {
  const { name } = entity
  const runId = newRunId(now())
  const preventedBy = await claimFor(job, { state, now, entity, runId })
  if (preventedBy !== undefined) return { kind: 'already-running', runId: preventedBy }
  const run = runOf(job, { runId, entity, execution: await executions.arnOf(runId), now: now() })
  await state.createRun(run)
  try {
    await executions.start(runId, { entity: name, runId, ...inputOf(job) })
  } catch (error) {
    const again = `Start the ${job.kind === 'increment' ? 'increment' : 'sync'} again.`
    const reason = `The state machine could not be started. ${again}`
    await endFromOutside({ state, now }, run, { status: 'failed', reason })
    throw error
  }
  return { kind: 'started', runId }
}

interface Claiming extends Pick<StartContext, 'state' | 'now'> {
  readonly entity: EntitySettings
  readonly runId: string
}

/** Claims the entity for a run. Returns the run that prevents it. */
async function claimFor(
  job: StartedJob,
  { state, now, entity, runId }: Claiming,
): Promise<string | undefined> {
  const worker = `start#${runId}`
  if (job.kind !== 'increment') {
    const claimant = { kind: 'start', runId, worker } as const
    const claimed = await claimEntity(state, entity.name, { claimant, now })
    return claimed.kind === 'skip' ? claimed.runId : undefined
  }
  if (!entity.increments)
    throw new ProblemError(
      'invalid-request',
      `Increments are not configured for ${entity.name}. Set increments for it in the configuration and deploy.`,
      { pointer: '/increment' },
    )
  const claimant = { runId, worker, starts: true } as const
  const claimed = await claimIncrement(state, entity.name, { claimant, now })
  // Its worker finds out whether anything but another run prevents it.
  return claimed.kind === 'skip' ? claimed.runId : undefined
}
