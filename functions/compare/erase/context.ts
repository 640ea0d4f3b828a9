import type { StateStore } from '../../../stored/sync-state.ts'
import type { ErasureContext } from '../../task/erase-entities.ts'
import type { CompareContext } from '../context.ts'

/** Everything outside the function that the daily task uses. */
export type EraseTaskContext = Pick<
  CompareContext,
  'snapshots' | 'changes' | 'publisher' | 'log' | 'now' | 'checkTime'
> &
  ErasureContext & { readonly state: Pick<StateStore, 'readRuns'> }

/** Reads of one entity at once. Those of all entities that are erased at once stay below the client's 50 sockets. */
export const readsAtOnce = 12
