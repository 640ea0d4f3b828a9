import { ProblemError } from '../http/problem.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import { claimEntity } from '../state/claim/claim.ts'
import { claimIncrement } from '../state/claim/claim-increment.ts'
import { newIncrement, newRun, newRunId } from '../state/run/run.ts'
import type { StateStore } from '../state/sync-state.ts'
import { endFromOutside } from './end-run.ts'
import type { ExecutionStore } from './executions.aws.ts'
import type { StartOptions } from './start-body.ts'

export interface StartContext {
  readonly state: StateStore
  readonly executions: Pick<ExecutionStore, 'arnOf' | 'start'>
  readonly now: () => number
}

/** A started run, which can be read from then on, or the run that prevents the start. */
export type Start = { readonly kind: 'started' | 'already-running'; readonly runId: string }

/** Creates a run of an entity and starts the execution that drives it. */
export async function startSync(
  { state, executions, now }: StartContext,
  entity: EntitySettings,
  { acceptShrink, acceptDeletes, increment = false }: StartOptions,
): Promise<Start> {
  const runId = newRunId(now())
  if (increment) return startIncrement({ state, executions, now }, entity, runId)
  const claimant = { kind: 'start', runId, worker: `start#${runId}` } as const
  const claimed = await claimEntity(state, entity.name, { claimant, now })
  if (claimed.kind === 'skip') return { kind: 'already-running', runId: claimed.runId }
  const execution = await executions.arnOf(runId)
  const run = newRun({ runId, entity, acceptShrink, execution, now: now() })
  await state.createRun(run)
  try {
    await executions.start(runId, {
      entity: entity.name,
      runId,
      ...(acceptShrink && { acceptShrink }),
      ...(acceptDeletes && { acceptDeletes }),
    })
  } catch (error) {
    const reason = 'The state machine could not be started. Start the sync again.'
    await endFromOutside({ state, now }, run, { status: 'failed', reason })
    throw error
  }
  return { kind: 'started', runId }
}

/**
 * Creates and starts an increment. It does not wait for another run. Its worker finds out whether anything else
 * prevents it. Throws `ProblemError` if the entity has no increments.
 */
async function startIncrement(
  { state, executions, now }: StartContext,
  entity: EntitySettings,
  runId: string,
): Promise<Start> {
  const { name } = entity
  if (!entity.increments)
    throw new ProblemError(
      'invalid-request',
      `Increments are not configured for ${name}. Set increments for it in the configuration and deploy.`,
      { pointer: '/increment' },
    )
  const claimant = { runId, worker: `start#${runId}`, starts: true } as const
  const claimed = await claimIncrement(state, name, { claimant, now })
  if (claimed.kind === 'skip' && claimed.runId !== undefined)
    return { kind: 'already-running', runId: claimed.runId }
  const execution = await executions.arnOf(runId)
  const run = newIncrement({ runId, entity, execution, now: now() })
  await state.createRun(run)
  try {
    await executions.start(runId, { entity: name, runId, increment: true })
  } catch (error) {
    const reason = 'The state machine could not be started. Start the increment again.'
    await endFromOutside({ state, now }, run, { status: 'failed', reason })
    throw error
  }
  return { kind: 'started', runId }
}
