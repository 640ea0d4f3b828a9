import type { AcceptedGuard } from '../../functions/state/run/run.ts'
import { CommandError } from '../errors.ts'
import { awaitEnd, type StartSyncOptions } from '../sync/start.ts'

export interface AcceptOptions extends Omit<StartSyncOptions, 'syncs'> {
  /** Who accepts it. */
  readonly by: string
}

/** What is accepted. */
export type Acceptance = AcceptedGuard & { readonly entity: string; readonly runId: string }

/**
 * Starts the execution that publishes what a guard refused, and waits until it has ended. Throws `CommandError` if it
 * failed: then the run is refused as before.
 */
export async function acceptRefusal(
  options: AcceptOptions,
  { entity, ...accepted }: Acceptance,
): Promise<void> {
  const { executions, by } = options
  const { runId } = accepted
  const { id } = await executions.start({ entity, accept: { ...accepted, by } })
  const { status, cause } = await awaitEnd(options, id)
  if (status === 'SUCCEEDED') return
  throw new CommandError(`Run ${runId} of ${entity} was not published. ${cause ?? ''}`.trim())
}
