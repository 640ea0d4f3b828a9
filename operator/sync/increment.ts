import type { StartedExecution } from '../aws/executions.aws.ts'
import { CommandError } from '../errors.ts'
import { awaitEnd, isRunOf, type StartSyncOptions } from './start.ts'

export type IncrementOutcome = { readonly entity: string; readonly runId: string } & (
  | { readonly status: 'published'; readonly records: number }
  | { readonly status: 'failed' | 'skipped' | 'cancelled'; readonly reason: string }
)

const shownIncrements = 10

/** Starts an increment of an entity. Its worker decides whether anything prevents it. */
export const startIncrement = ({ executions }: Pick<StartSyncOptions, 'executions'>, entity: string) =>
  executions.start({ entity, increment: true })

/** Waits until an increment has ended, which takes seconds. Throws `CommandError` and `Interrupted`. */
export async function awaitIncrement(
  options: StartSyncOptions,
  entity: string,
  execution: StartedExecution,
): Promise<IncrementOutcome> {
  const interrupted = `Stopped waiting. The increment of ${entity} continues.`
  const { status, cause } = await awaitEnd(options, execution.id, interrupted)
  const ended = await readEnd(options.syncs, entity, execution)
  if (ended) return ended
  throw new CommandError(
    `The execution ${execution.id} ended as ${status} without an increment. ${cause ?? ''}`.trim(),
  )
}

/** An increment that found nothing new has no run. The entity's status names it, until the next one has ended. */
async function readEnd(
  syncs: StartSyncOptions['syncs'],
  entity: string,
  execution: StartedExecution,
): Promise<IncrementOutcome | undefined> {
  const [runs, { increments }] = await Promise.all([
    syncs.listIncrements(entity, shownIncrements),
    syncs.read(entity),
  ])
  const run = runs.find(({ runId }) => isRunOf(execution, runId))
  if (run?.status === 'published') {
    const { runId, increment } = run
    return { entity, runId, status: 'published', records: increment?.records ?? 0 }
  }
  if (run?.status === 'failed' || run?.status === 'skipped' || run?.status === 'cancelled') {
    const { runId, status, reason } = run
    return { entity, runId, status, reason: reason ?? '' }
  }
  const last = increments?.last
  if (!last || !isRunOf(execution, last.runId)) return undefined
  const { runId, status, reason } = last
  return status === 'published'
    ? { entity, runId, status, records: 0 }
    : { entity, runId, status, reason: reason ?? '' }
}
