import type { Target } from '../../operator/deployment/deployment.ts'
import { Interrupted } from '../../operator/errors.ts'
import type { Syncs } from '../../operator/sync/syncs.ts'
import type { Terminal } from '../shell/terminal.ts'
import {
  notStartedError,
  notStartedText,
  questionText,
  startedText,
  waitingForSync,
} from './missing-snapshots.ts'

interface FirstSyncsContext {
  readonly syncs: Pick<Syncs, 'list' | 'start'>
  readonly target: Target
  readonly terminal: Terminal
}

/** Starts the syncs that wait for credentials. Without a terminal, `ask` starts none. */
export async function startFirstSyncs(
  { syncs, target, terminal }: FirstSyncsContext,
  mode: 'ask' | 'start',
): Promise<{ readonly started: readonly string[]; readonly text: readonly string[] }> {
  try {
    const missing = waitingForSync((await syncs.list()).entities)
    if (missing.length === 0) return { started: [], text: [] }
    const isWanted =
      mode === 'start' || (terminal.isInteractive && (await terminal.confirm(questionText(missing))))
    if (!isWanted) return { started: [], text: [notStartedText(missing, target)] }
    for (const entity of missing) await syncs.start(entity, { kind: 'full' })
    return { started: missing, text: [startedText(missing, target)] }
  } catch (error) {
    if (error instanceof Interrupted) throw error
    throw notStartedError(error, target)
  }
}
