import type { RunView } from '../../stored/views.ts'
import type { ExecutionStarter } from '../aws/executions.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from './syncs.ts'

/** Whether something still works on a run that has not ended: its execution may have been stopped by hand. */
export async function isDriven(
  { entity, runId }: Pick<RunView, 'entity' | 'runId'>,
  { table, executions }: Pick<Deployment, 'table'> & { readonly executions: Pick<ExecutionStarter, 'read'> },
): Promise<boolean> {
  const run = await openState(table).findRun(entity, runId)
  // A direct invocation of the worker has no execution.
  if (!run?.execution) return true
  return (await executions.read(run.execution)).kind === 'running'
}
