import { runIdOfExecution } from '../../functions/state/run/run.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import type { ExecutionStarter, ExecutionState, StartedExecution } from '../aws/executions.aws.ts'
import { CommandError } from '../errors.ts'
import type { Waiting } from '../waiting.ts'
import { pollUntil } from './poll-interval.ts'
import type { Syncs } from './syncs.ts'

/** The state machine's input. */
export interface SyncInput {
  readonly entity: string
  readonly acceptShrink?: true
  readonly acceptDeletes?: true
  readonly increment?: true
  readonly republish?: { readonly runId: string }
}

/** The guards that a sync overrides. */
export interface Accepted {
  readonly acceptShrink: boolean
  readonly acceptDeletes: boolean
}

export function syncInput(entity: string, { acceptShrink, acceptDeletes }: Accepted): SyncInput {
  return { entity, ...(acceptShrink && { acceptShrink }), ...(acceptDeletes && { acceptDeletes }) }
}

export interface StartSyncOptions extends Waiting {
  readonly syncs: Syncs
  readonly executions: ExecutionStarter
}

/**
 * Starts an execution and waits for the run that its worker begins. The worker decides the run's id, times and
 * configuration; nothing of the operator's machine enters the state table. Throws `CommandError` if no run begins.
 */
export async function startRun(options: StartSyncOptions, input: SyncInput): Promise<RunView> {
  const { syncs, executions } = options
  const execution = await executions.start(input)
  const findRun = async () => {
    // Read before the runs: a run that the execution recorded last is found after it has ended.
    const state = await executions.read(execution.id)
    const { runs } = await syncs.read(input.entity)
    const run = runs.find(({ runId }) => isRunOf(execution, runId))
    if (run || state.kind !== 'ended') return run
    throw new CommandError(
      `The execution ${execution.id} ended as ${state.status} without a run. ${state.cause ?? ''}`.trim(),
    )
  }
  return pollUntil(findRun, { ...options, interrupted: stopped(execution.id) })
}

const stopped = (execution: string) => `Stopped waiting. The execution ${execution} continues.`

/** Waits until an execution has ended. Throws `Interrupted`. */
export function awaitEnd(
  options: Omit<StartSyncOptions, 'syncs'>,
  execution: string,
  interrupted = stopped(execution),
): Promise<Extract<ExecutionState, { kind: 'ended' }>> {
  const readEnd = async () => {
    const state = await options.executions.read(execution)
    return state.kind === 'ended' ? state : undefined
  }
  return pollUntil(readEnd, { ...options, interrupted })
}

/** Compares the hash of the execution. The worker may see another start time in the last millisecond. */
export function isRunOf(execution: StartedExecution, runId: string): boolean {
  const hashOf = (id: string) => id.slice(id.indexOf('-'))
  return hashOf(runId) === hashOf(runIdOfExecution(execution))
}
