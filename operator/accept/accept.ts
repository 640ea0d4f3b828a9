import type { ExecutionStarter } from '../aws/executions.aws.ts'
import { CommandError } from '../errors.ts'
import type { Refusal } from '../review/refusal.ts'
import { awaitEnd } from '../sync/start.ts'

export interface AcceptOptions {
  readonly executions: ExecutionStarter
  /** Who accepts it. */
  readonly by: string
  readonly signal: AbortSignal
}

/**
 * Starts the execution that publishes what a guard refused, and waits until it has ended. Throws `CommandError` if it
 * failed: then the run is refused as before.
 */
export async function acceptRefusal(
  { executions, by, signal }: AcceptOptions,
  { entity, runId, guard }: Pick<Refusal, 'entity' | 'runId' | 'guard'>,
): Promise<void> {
  const { id } = await executions.start({ entity, accept: { runId, guard, by } })
  const { status, cause } = await awaitEnd({ executions, signal }, id)
  if (status === 'SUCCEEDED') return
  throw new CommandError(`Run ${runId} of ${entity} was not published. ${cause ?? ''}`.trim())
}
