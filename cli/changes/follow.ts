import { resolve } from 'node:path'
import { objectReader } from '../../operator/aws/objects.aws.ts'
import { type ChangeSource, recordLines } from '../../operator/changes/chain.ts'
import { followSets, readTip } from '../../operator/changes/follow.ts'
import { movePosition, ownPosition, readPositionFile } from '../../operator/changes/position-file.ts'
import { longshoreCommand } from '../../operator/deployment/deployment.ts'
import { CommandError, Interrupted } from '../../operator/errors.ts'
import { withLock } from '../../operator/snapshot/locked-file.ts'
import { shellWord } from '../../operator/text/shell-word.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { Terminal } from '../shell/terminal.ts'
import type { ChangeReceiver } from './receivers.ts'

export interface Following extends Waiting {
  readonly store: ChangeSetStore
  readonly source: ChangeSource
  /** The values of `--since`, `--position` and `--exec`. */
  readonly since: string | undefined
  readonly position: string | undefined
  readonly exec: string | undefined
  readonly receiver: ChangeReceiver
  readonly terminal: Terminal
}

/**
 * Delivers the records of each change set once it is published, and stores the last run whose records were accepted:
 * after a crash the records since then are delivered again. Throws `CommandError`, and `Interrupted` by the signal.
 */
export async function followChanges(following: Following): Promise<never> {
  const file = resolve(following.position ?? `${following.source.entity}.position.json`)
  return withLock(file, ownPosition, () => followFrom(file, following))
}

async function followFrom(file: string, following: Following): Promise<never> {
  const { store, source, receiver, terminal, pause, signal } = following
  const { bucket, entity } = source
  let position = await readPositionFile(file, entity)
  if (position === undefined) {
    position = following.since ?? (await begin(following))
    await movePosition(file, { entity, from: undefined, to: position })
  }
  terminal.note(`Following ${entity} after run ${position}. The position is stored in ${file}.`)
  const read = objectReader(bucket, signal)
  const next = `delete ${shellWord(file)} and continue from the run that it prints: ${commandAgain(following)}`
  const options = { since: position, pause, signal, next }
  try {
    for await (const set of followSets(store, source, options)) {
      const accepted = await receiver.deliver(set.runId, recordLines([set], read))
      if (accepted === undefined || accepted === position) continue
      await movePosition(file, { entity, from: position, to: accepted })
      position = accepted
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') {
      throw new CommandError(
        `The program that reads the records has exited. The position is run ${position}.`,
        {
          cause: error,
          fix: 'run the same command again: it continues after that run, and repeats the records since',
        },
      )
    }
    // An aborted request is no failure.
    if (!signal.aborted) throw error
  }
  throw new Interrupted(`Stopped after run ${position}. The same command continues from there.`)
}

/** The command line as it was given, after another run. */
function commandAgain({ source, position, exec }: Following): string {
  const given = Object.entries({ position, exec }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  )
  const args = ['changes', source.entity, '--follow', '--since', 'RUN', ...given]
  return longshoreCommand(source.target, args.join(' '))
}

/** Without a position, only what is published from now on. */
async function begin({ store, source, terminal }: Following): Promise<string> {
  const tip = await readTip(store, source)
  const pull = longshoreCommand(source.target, `pull ${source.entity} --run ${tip}`)
  terminal.note(`To begin with the documents of run ${tip}: ${pull}`)
  return tip
}
