import { hasEnded } from '../../stored/run/run.ts'
import type { RunView } from '../../stored/views.ts'
import type { Waiting } from '../waiting.ts'
import { pollUntil } from './poll-interval.ts'
import type { Syncs } from './syncs.ts'

export interface AwaitRunOptions extends Waiting {
  readonly syncs: Pick<Syncs, 'readRun'>
  /** Called with each state of the run that was read. */
  readonly show?: (run: RunView) => void
}

/** Reads a run until it has ended. Throws `Interrupted`. */
export function awaitRun(
  { syncs, show, pause, signal }: AwaitRunOptions,
  { entity, runId }: Pick<RunView, 'entity' | 'runId'>,
): Promise<RunView> {
  const readEnd = async () => {
    const run = await syncs.readRun(entity, runId)
    show?.(run)
    return hasEnded(run) ? run : undefined
  }
  const interrupted = `Stopped watching. Run ${runId} of ${entity} continues.`
  return pollUntil(readEnd, { pause, signal, interrupted })
}
