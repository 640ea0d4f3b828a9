import type { ErasurePasses } from '../../state/erasure/passes.ts'
import type { ObjectVersionStore } from '../../state/object-versions.aws.ts'
import type { StateStore } from '../../state/sync-state.ts'
import type { CompareContext } from '../context.ts'

/** Everything outside the function that the daily task uses. */
export type EraseContext = Pick<CompareContext, 'snapshots' | 'changes' | 'log' | 'now' | 'checkTime'> & {
  readonly versions: ObjectVersionStore
  readonly state: Pick<StateStore, 'readRuns'>
  readonly passes: ErasurePasses
  /** The names of the configured entities. */
  readonly configured: readonly string[]
  readonly eraseWithinDays: number
}

/** Reads of one entity at once. Those of all entities that are erased at once stay below the client's 50 sockets. */
export const readsAtOnce = 12
