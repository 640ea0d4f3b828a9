import type { RunView } from '../../functions/sync-api/views.ts'
import type { ExecutionStarter } from '../aws/executions.aws.ts'
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
  // A direct invocation of the worker has no execution.
  const execution = run?.execution ? await executions.read(run.execution) : undefined
  return execution?.kind === 'ended' ? undefined : running
}
