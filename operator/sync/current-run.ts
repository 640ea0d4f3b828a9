import type { RunView } from '../../functions/sync-api/views.ts'
import type { ExecutionStarter, ExecutionState } from '../aws/executions.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from './state.ts'
import type { Syncs } from './syncs.ts'

/** The run that the state table has as running, unless its execution has ended: then the next run replaces it. */
export async function currentRun(
  entity: string,
  {
    deployment,
    syncs,
    executions,
  }: { deployment: Pick<Deployment, 'table'>; syncs: Syncs; executions: ExecutionStarter },
): Promise<RunView | undefined> {
  const { running } = await syncs.read(entity)
  if (!running) return undefined
  const run = await openState(deployment.table).readRun(entity, running.runId)
  return runInProgress(running, run?.execution ? await executions.read(run.execution) : undefined)
}

/** The run, unless its execution has ended. A direct invocation of the worker has no execution. */
export function runInProgress(run: RunView, execution: ExecutionState | undefined): RunView | undefined {
  return execution?.kind === 'ended' ? undefined : run
}
