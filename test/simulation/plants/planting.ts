import { PutObjectCommand } from '@aws-sdk/client-s3'
import type { Key } from '../../../functions/state/item-version.ts'
import type { RangeState } from '../../../functions/state/run/range.ts'
import type { Run } from '../../../functions/state/run/run.ts'
import { mapRanges } from '../../../functions/state/run/split.ts'
import type { Write } from '../../../functions/state/table/requests.ts'
import type { StepContext } from '../../../functions/worker/context.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Plant } from './plant.ts'

/** The run with a change of each range. */
export function withRanges<R extends Run>(
  run: R,
  change: (range: RangeState, index: number) => RangeState,
): R {
  return { ...run, split: mapRanges(run.split, change) }
}

type State = StepContext['state']

/** Replaces functions of the worker's state store. */
export function withState(
  change: (state: State, sim: Surroundings) => Partial<State>,
): NonNullable<Plant['world']> {
  return (world, sim) => ({ ...world, state: { ...world.state, ...change(world.state, sim) } })
}

/** Replaces `readRun` while objects are cleaned up. */
export function duringCleanUp(readRun: (state: State) => State['readRun']): NonNullable<Plant['world']> {
  return (world) => {
    const { state, snapshots } = world
    const readDuringCleanUp = readRun(state)
    let isCleaning = false
    return {
      ...world,
      state: {
        ...state,
        readRun: (...name) => (isCleaning ? readDuringCleanUp(...name) : state.readRun(...name)),
      },
      snapshots: {
        ...snapshots,
        async *listKeys(prefix) {
          isCleaning = true
          yield* snapshots.listKeys(prefix)
        },
        readTip(entity) {
          isCleaning = false
          return snapshots.readTip(entity)
        },
        deleteKeys(keys) {
          isCleaning = false
          return snapshots.deleteKeys(keys)
        },
      },
    }
  }
}

/** Drops the conditions of the puts whose key `meant` selects. */
export function unconditional(meant: (key: Key) => boolean): NonNullable<Plant['table']> {
  return withWrites((write) =>
    write.kind === 'put' && meant(write.item) ? { ...write, condition: {} } : write,
  )
}

/** Changes the writes of the state table. */
export function withWrites(change: (write: Write) => Write): NonNullable<Plant['table']> {
  return (client) => ({ ...client, write: (write) => client.write(change(write)) })
}

/** Drops the conditions of the objects whose key `meant` selects. */
export function unconditionalObjects(meant: (key: string) => boolean): NonNullable<Plant['command']> {
  return (command) => {
    if (!(command instanceof PutObjectCommand) || !meant(command.input.Key ?? '')) return command
    const { IfMatch: _match, IfNoneMatch: _none, ...input } = command.input
    return new PutObjectCommand(input)
  }
}
