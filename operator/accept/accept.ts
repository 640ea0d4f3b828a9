import { CommandError } from '../errors.ts'
import type { ReviewedRefusal } from '../review/refusal.ts'
import { awaitEnd, type StartSyncOptions } from '../sync/start.ts'

export interface AcceptOptions extends Omit<StartSyncOptions, 'syncs'> {
  /** Who accepts it. */
  readonly by: string
}

/**
 * Starts the execution that publishes what a guard refused, and waits until it has ended. Throws `CommandError` if it
 * failed: then the run is refused as before.
 */
export async function acceptRefusal(
  options: AcceptOptions,
  { entity, runId, guard }: Pick<ReviewedRefusal, 'entity' | 'runId' | 'guard'>,
): Promise<void> {
  const { executions, by } = options
  const { id } = await executions.start({ entity, accept: { runId, guard, by } })
  const { status, cause } = await awaitEnd(options, id)
  if (status === 'SUCCEEDED') return
  throw new CommandError(`Run ${runId} of ${entity} was not published. ${cause ?? ''}`.trim())
}
