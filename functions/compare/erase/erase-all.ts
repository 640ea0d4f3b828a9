import { erasureCutoff, readKept } from '../../../stored/erasure/kept-runs.ts'
import { isErasureWaiting } from '../../problems/erasure-problems.ts'
import { keptDays } from '../../runtime/settings-schema/erasure-days.ts'
import { type ErasedByTask, eraseEntities } from '../../task/erase-entities.ts'
import type { EraseTaskContext } from './context.ts'
import { eraseChanges } from './erase-changes.ts'
import { eraseSnapshots } from './erase-snapshots.ts'

export interface ErasureResult extends ErasedByTask {
  /** Entities that published nothing for `eraseWithinDays`: their published snapshot stays. */
  readonly waiting: readonly string[]
}

/**
 * Deletes every version of an object whose content has not been published for as long as `eraseWithinDays` allows, of
 * every entity that is configured or has objects.
 */
export async function eraseAll(context: EraseTaskContext): Promise<ErasureResult> {
  const { log, now, eraseWithinDays } = context
  const waiting: string[] = []
  const erased = await eraseEntities({
    ...context,
    async erase(entity) {
      const cutoff = erasureCutoff(keptDays(context.eraseWithinDays), now())
      const kept = await readKept(context.snapshots, entity, cutoff)
      const { publishedAt } = kept
      if (publishedAt !== undefined && isErasureWaiting(publishedAt, eraseWithinDays, now())) {
        waiting.push(entity)
        log('WARN', 'erasure waits', { entity, publishedAt })
      }
      // The chain no longer needs a snapshot before that snapshot goes.
      return (await eraseChanges(context, entity, kept)) + (await eraseSnapshots(context, entity, kept))
    },
    report: (counts) => log('INFO', 'erasure ended', { eraseWithinDays, ...counts, waiting: waiting.length }),
  })
  return { ...erased, waiting: waiting.toSorted() }
}
