import { claimEntity } from '../../stored/claim/claim.ts'
import type { Claimant } from '../../stored/claim/decisions.ts'
import type { EntityState } from '../../stored/entity-items.ts'
import { newIncrement } from '../../stored/run/increment-run.ts'
import { inputOf, runOf, type StartedJob } from '../../stored/run/job.ts'
import { newRunId } from '../../stored/run/run.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import { ProblemError } from '../http/result.ts'
import type { EntitySettings } from '../runtime/settings.ts'
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
  const isIncrement = job.kind === 'increment'
  if (isIncrement && !entity.increments)
    throw new ProblemError(
      'invalid-request',
      `Increments are not configured for ${name}. Set increments for it in the configuration and deploy.`,
      { pointer: '/increment' },
    )
  let runId = ''
  const claimant = (read: EntityState): Claimant => {
    runId = newRunId(timeOfStart(read, now()))
    const claim = { kind: 'start', runId, worker: `start#${runId}` } as const
    return { ...claim, for: isIncrement ? 'increment' : 'snapshot' }
  }
  const claimed = await claimEntity(state, name, { claimant, now })
  // Its worker finds out whether anything but another run prevents it.
  if (claimed.kind === 'in-progress') return { kind: 'already-running', runId: claimed.runId }
  const execution = await executions.arnOf(runId)
  const start = { runId, entity, execution, now: timeOfRunId(runId) }
  const run = job.kind === 'increment' ? newIncrement(start) : runOf(job, start)
  await state.createRun(run)
  try {
    await executions.start(runId, { entity: name, runId, ...inputOf(job) })
  } catch (error) {
    const again = `Start the ${isIncrement ? 'increment' : 'sync'} again.`
    const reason = `The state machine could not be started. ${again}`
    await endFromOutside({ state, now }, run, { status: 'failed', reason })
    throw error
  }
  return { kind: 'started', runId }
}

/** After the entity's last runs: the clock of an operator's machine follows that of AWS to the second. */
function timeOfStart({ latest, increments, recentRuns = [] }: EntityState, now: number): number {
  const known = [latest?.runId ?? [], increments?.last.runId ?? [], recentRuns].flat()
  return Math.max(now, ...known.map((runId) => timeOfRunId(runId) + 1))
}
