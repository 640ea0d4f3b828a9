import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { type ChangeSource, requireChain } from './chain.ts'

const reason = 'An operator requested the reset.'

export interface RequestedReset {
  readonly entity: string
  /** The run that the change sets lead to until then. */
  readonly tip: string
  readonly reset: string
}

/**
 * Makes the next change set a reset, whatever keeps the chain from continuing. Nothing else of the chain changes, so
 * readers and the tip's snapshot stay where they are until then. Throws `CommandError` if there is no chain.
 */
export async function requestReset(store: ChangeSetStore, source: ChangeSource): Promise<RequestedReset> {
  const { entity } = source
  for (;;) {
    const chain = await requireChain(store, source)
    const { tip } = chain.value
    // False if a comparison has just moved the tip, which must not be lost.
    if (!(await store.writeLatest(entity, { ...chain.value, reset: reason }, chain))) continue
    return { entity, tip, reset: reason }
  }
}
