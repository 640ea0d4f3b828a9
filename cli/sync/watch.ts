import { awaitRun } from '../../operator/sync/await-run.ts'
import { runBars } from '../../operator/sync/run-bars.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { RunView } from '../../stored/views.ts'
import type { Terminal } from '../shell/terminal.ts'

/** Shows a run's progress until it ends. Throws `Interrupted`. */
export async function watchRun(
  { syncs, terminal, pause, signal }: Waiting & { readonly syncs: Syncs; readonly terminal: Terminal },
  run: Pick<RunView, 'entity' | 'runId'>,
): Promise<RunView> {
  const bars = terminal.progressBars()
  try {
    return await awaitRun({ syncs, show: (read) => bars.show(runBars(read)), pause, signal }, run)
  } finally {
    bars.end()
  }
}
