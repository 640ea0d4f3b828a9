import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '../../functions/state/run.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { Interrupted } from '../shell/errors.ts'
import { formatCount, formatDuration } from '../shell/format.ts'
import type { Remark } from '../shell/progress.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { Syncs } from '../syncs.ts'

const pollIntervalMs = 1_000

export interface WatchOptions {
  readonly syncs: Syncs
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Shows a run's progress until it ends. Throws `Interrupted`. */
export async function watchRun(
  { syncs, terminal, signal }: WatchOptions,
  { entity, runId }: Pick<RunView, 'entity' | 'runId'>,
): Promise<RunView> {
  const bar = terminal.progress(entity)
  try {
    for (;;) {
      if (signal.aborted) throw new Interrupted(`Stopped watching. Run ${runId} of ${entity} continues.`)
      const run = await syncs.readRun(entity, runId)
      bar.show(run.documents, run.total, remarkOn(run))
      if (hasEnded(run)) return run
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    bar.end()
  }
}

type Watched = Pick<RunView, 'status' | 'reason' | 'attempt' | 'documentsPerSecond' | 'secondsLeft'>

/** The text after the bar. */
export function remarkOn({ status, reason, attempt, documentsPerSecond, secondsLeft }: Watched): Remark {
  const state = [
    attempt > 1 && `attempt ${attempt}`,
    status !== 'running' && status,
    status === 'waiting' && reason,
  ]
  const pace = [
    documentsPerSecond !== null && `${formatCount(Math.round(documentsPerSecond))}/s`,
    secondsLeft !== null && `${formatDuration(secondsLeft * 1000)} left`,
  ]
  const join = (parts: readonly (string | false | null)[]) => parts.filter(Boolean).join(', ')
  return { state: join(state), pace: status === 'running' ? join(pace) : '' }
}
