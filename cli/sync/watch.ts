import { hasEnded } from '../../functions/state/run/run.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { pollUntil } from '../../operator/sync/poll-interval.ts'
import { runBars } from '../../operator/sync/run-bars.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { Terminal } from '../shell/terminal.ts'

export interface WatchOptions extends Waiting {
  readonly syncs: Syncs
  readonly terminal: Terminal
}

/** Shows a run's progress until it ends. Throws `Interrupted`. */
export async function watchRun(
  { syncs, terminal, pause, signal }: WatchOptions,
  { entity, runId }: Pick<RunView, 'entity' | 'runId'>,
): Promise<RunView> {
  const bars = terminal.progressBars()
  try {
    const readEnd = async () => {
      const run = await syncs.readRun(entity, runId)
      bars.show(runBars(run))
      return hasEnded(run) ? run : undefined
    }
    const interrupted = `Stopped watching. Run ${runId} of ${entity} continues.`
    return await pollUntil(readEnd, { pause, signal, interrupted })
  } finally {
    bars.end()
  }
}
