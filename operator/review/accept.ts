import { configuredEntity } from '../../functions/http/result.ts'
import { whyNotWithChanges } from '../../stored/changes/acceptable-changes.ts'
import { acceptanceInput } from '../../stored/run/job.ts'
import type { AcceptedGuard } from '../../stored/run/run.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import type { ExecutionStarter } from '../aws/executions.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { pollUntil } from '../sync/await-run.ts'
import type { Waiting } from '../waiting.ts'
import type { RefusalStores, ReviewedRefusal } from './review.ts'

export type AcceptanceRequest = AcceptedGuard & { readonly entity: string; readonly runId: string }

/**
 * Starts the execution that publishes what a guard refused, and waits until it has ended. Throws `CommandError` if it
 * failed: then the run is refused as before.
 */
export async function acceptRefusal(
  options: Waiting & { readonly executions: ExecutionStarter; readonly by: string },
  { entity, ...accepted }: AcceptanceRequest,
): Promise<void> {
  const { executions, by } = options
  const { runId } = accepted
  const { id } = await executions.start(acceptanceInput(entity, { ...accepted, by }))
  const readEnd = async () => {
    const state = await executions.read(id)
    return state.kind === 'ended' ? state : undefined
  }
  const interrupted = `Stopped waiting. The execution ${id} continues.`
  const { status, cause } = await pollUntil(readEnd, { ...options, interrupted })
  if (status === 'SUCCEEDED') return
  throw new CommandError(`Run ${runId} of ${entity} was not published. ${cause ?? ''}`.trim())
}

interface Context {
  readonly deployment: { readonly configuration: Pick<Deployment['configuration'], 'entities'> }
  readonly state: Pick<StateStore, 'findRun'>
  readonly stores: Pick<RefusalStores, 'snapshots' | 'changes'>
}

/** Whether one decision can be about a refused snapshot and its change set, since the review shows what both remove. */
export async function isAcceptableWithChanges(
  { deployment, state, stores }: Context,
  { guard, entity, runId }: Pick<ReviewedRefusal, 'guard' | 'entity' | 'runId'>,
): Promise<boolean> {
  if (guard !== 'snapshot') return false
  const run = await state.findRun(entity, runId)
  if (run?.status !== 'refused') return false
  const settings = configuredEntity(deployment.configuration.entities, entity)
  return (await whyNotWithChanges(stores, settings, run)) === undefined
}
