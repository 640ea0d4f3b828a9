import { setTimeout as sleep } from 'node:timers/promises'
import { setsSince } from '../../functions/state/changes/change-chain.ts'
import type { SetManifest } from '../../functions/state/changes/changes.ts'
import { longshoreCommand } from '../deployment/deployment.ts'
import { CommandError } from '../errors.ts'
import { type ChangeSource, type ChangeStore, readSet, withoutChangeSets } from './chain.ts'

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
  const { entity, target, download } = source
  for (let position = since; !signal.aborted; ) {
    const chain = (await store.readLatest(entity))?.value
    if (!chain) throw withoutChangeSets(source)
    const sets = setsSince(chain, position)
    if (!sets) {
      const again = longshoreCommand(target, `changes ${entity} --follow --since RUN`)
      throw new CommandError(
        `No change sets of ${entity} start from run ${position}: they expired, the chain was reset, or the run has none.`,
        {
          fix: `download the snapshot again (${longshoreCommand(target, download)}), ${forget}and continue from the run that it prints: ${again}`,
        },
      )
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
  const chain = (await store.readLatest(source.entity))?.value
  if (!chain) throw withoutChangeSets(source)
  return chain.tip
}
