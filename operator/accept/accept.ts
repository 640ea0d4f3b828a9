import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionStarter } from '../aws/executions.aws.ts'
import { CommandError, Interrupted } from '../errors.ts'
import type { Refusal } from '../review/refusal.ts'
import { pollIntervalMs } from '../sync/poll-interval.ts'

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
  for (let polls = 0; ; polls++) {
    const state = await executions.read(id)
    if (state.kind === 'ended') {
      if (state.status === 'SUCCEEDED') return
      throw new CommandError(`Run ${runId} of ${entity} was not published. ${state.cause ?? ''}`.trim())
    }
    await sleep(pollIntervalMs(polls), undefined, { signal }).catch(() => {
      throw new Interrupted(`Stopped waiting. The execution ${id} continues.`)
    })
  }
}
