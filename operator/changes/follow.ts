import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import { setsSince } from '../../stored/changes/sets-since.ts'
import type { Waiting } from '../waiting.ts'
import { type ChangeSource, leadsNowhere, requireChain, requireSet } from './chain.ts'

/** Between two requests. */
const intervalMs = 5_000

export interface FollowOptions extends Waiting {
  /** The run after which to begin. */
  readonly since: string
  /** What to do after the snapshot was downloaded again, if the position leads nowhere. */
  readonly next: string
}

/**
 * The change sets after a run, each once it is published. Ends when the signal is aborted. Throws `CommandError` if none
 * lead on from the run: they expired, or the chain was reset.
 */
export async function* followSets(
  store: ChangeSetStore,
  source: ChangeSource,
  { since, pause, signal, next }: FollowOptions,
): AsyncGenerator<SetManifest> {
  for (let position = since; !signal.aborted; ) {
    const sets = setsSince((await requireChain(store, source)).value, position)
    if (!sets) throw leadsNowhere(source, position, next)
    for (const { runId } of sets) {
      if (signal.aborted) return
      yield await requireSet(store, runId, source)
      position = runId
    }
    await pause(intervalMs, signal)
  }
}

/** The run that the change sets lead to. Throws `CommandError` if there are none. */
export const readTip = async (store: ChangeSetStore, source: ChangeSource): Promise<string> =>
  (await requireChain(store, source)).value.tip
