import { setTimeout as sleep } from 'node:timers/promises'
import { setsSince } from '../../functions/state/changes/change-chain.ts'
import type { SetManifest } from '../../functions/state/changes/changes.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { type ChangeSource, type ChangeStore, leadsNowhere, readChain, readSet } from './chain.ts'

export interface FollowOptions {
  /** The run after which to begin. */
  readonly since: string
  readonly intervalMs: number
  readonly signal: AbortSignal
  /** What to do with a stored position that leads nowhere. */
  readonly forget: string
}

/**
 * The change sets after a run, each once it is published. Ends when the signal is aborted. Throws `CommandError` if none
 * lead on from the run: they expired, or the chain was reset.
 */
export async function* followSets(
  store: ChangeStore,
  source: ChangeSource,
  { since, intervalMs, signal, forget }: FollowOptions,
): AsyncGenerator<SetManifest> {
  for (let position = since; !signal.aborted; ) {
    const sets = setsSince((await readChain(store, source)).value, position)
    if (!sets) {
      const again = longshoreCommand(source.target, `changes ${source.entity} --follow --since RUN`)
      throw leadsNowhere(source, position, `${forget}and continue from the run that it prints: ${again}`)
    }
    for (const { runId } of sets) {
      if (signal.aborted) return
      yield await readSet(store, runId, source)
      position = runId
    }
    await sleep(intervalMs, undefined, { signal }).catch(() => {})
  }
}

/** The run that the change sets lead to. Throws `CommandError` if there are none. */
export async function readTip(store: ChangeStore, source: ChangeSource): Promise<string> {
  return (await readChain(store, source)).value.tip
}
