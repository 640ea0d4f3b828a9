import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import { withoutAccepted } from '../../../stored/inventory/accepted-meanwhile.ts'
import { findOldSnapshots } from '../../../stored/inventory/old-snapshots.ts'
import { shorteningOf } from '../../../stored/inventory/shortening.ts'
import type { ContentLimits, ErasureStores } from '../../../stored/inventory/stored-entity.ts'
import { erasureCutoff, readContentLimits } from '../../../stored/inventory/stored-entity.ts'
import { findUnneededSets } from '../../../stored/inventory/unneeded-sets.ts'
import { isErasureWaiting } from '../../problems/erasure-problems.ts'
import { keptDays } from '../../runtime/settings-schema/erasure-days.ts'
import { type ErasedByTask, type ErasureContext, eraseEntities } from '../../task/erase-entities.ts'
import type { CompareContext } from '../context.ts'

/** Everything outside the function that the daily task uses. */
export type EraseTaskContext = Pick<CompareContext, 'publisher' | 'log'> & ErasureContext & ErasureStores

export interface ErasureResult extends ErasedByTask {
  /** Entities that published nothing for `eraseWithinDays`: their published snapshot stays. */
  readonly waiting: readonly string[]
}

/**
 * Deletes every version of an object whose content has not been published for as long as `eraseWithinDays` allows, of
 * every entity that is configured or has objects.
 */
export async function eraseAll(context: EraseTaskContext): Promise<ErasureResult> {
  const { snapshots, log, now, eraseWithinDays } = context
  const waiting: string[] = []
  const erased = await eraseEntities({
    ...context,
    async erase(entity) {
      const cutoff = erasureCutoff(keptDays(context.eraseWithinDays), now())
      const limits = await readContentLimits(snapshots, entity, cutoff)
      const { publishedAt } = limits
      if (publishedAt !== undefined && isErasureWaiting(publishedAt, eraseWithinDays, now())) {
        waiting.push(entity)
        log('WARN', 'erasure waits', { entity, publishedAt })
      }
      return eraseEntity(context, entity, limits)
    },
    report: (counts) => log('INFO', 'erasure ended', { eraseWithinDays, ...counts, waiting: waiting.length }),
  })
  return { ...erased, waiting: waiting.toSorted() }
}

/** Objects of sets that go out of the chain now are deleted by the next task. Returns the number of versions. */
async function eraseEntity(
  context: EraseTaskContext,
  entity: string,
  limits: ContentLimits,
): Promise<number> {
  const { versions, checkTime } = context
  const sets = await findUnneededSets(context, entity)
  await versions.deleteVersions(sets, checkTime)
  // The chain no longer needs a snapshot before that snapshot goes.
  await shortenChain(context, entity, limits)
  const old = await findOldSnapshots(context, entity, limits)
  const [published] = limits.kept
  await versions.deleteVersions(await withoutAccepted(context, { entity, published }, old), checkTime)
  return sets.length + old.length
}

/** Readers of the sets that go receive `changes-expired`. */
async function shortenChain(
  { changes, snapshots, publisher, log }: EraseTaskContext,
  entity: string,
  { isOld, cutoff }: ContentLimits,
): Promise<void> {
  for (;;) {
    const chain = (await changes.readLatest(entity))?.value
    if (!chain) return
    const { tip } = chain
    const chainSnapshot = chainSnapshotRun(chain)
    // Read after the chain, which may have followed an acceptance since.
    const published = (await snapshots.readLatest(entity))?.value.runId
    const erasedTip = {
      set: (await changes.readManifest(entity, tip))?.value,
      isSnapshotErased: isOld(chainSnapshot) && chainSnapshot !== published,
    }
    const shortening = shorteningOf(chain, erasedTip, cutoff)
    if (!shortening) return
    const note = { kind: 'shortened', ...shortening } as const
    if ((await publisher.note({ entity, tip, note })).kind === 'outdated') continue
    return log('INFO', 'chain trimmed', { entity, tip, ...shortening })
  }
}
