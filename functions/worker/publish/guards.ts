import { formatCount } from '../../runtime/format.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { hasShrunkTooMuch, shrinkLimitText } from '../../state/run/shrink-limit.ts'

export interface GuardRefusal {
  /** The configuration key of the guard. */
  readonly key: keyof EntitySettings
  /** Why the snapshot is not published. Who shows it adds the commands. */
  readonly reason: string
}

/** Whether a guard refuses a proven snapshot; undefined if it may be published. */
export function refusalOf(snapshot: {
  readonly uniqueIds: number
  /** Of the snapshot that is published now; undefined if there is none. */
  readonly publishedIds: number | undefined
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
}): GuardRefusal | undefined {
  const { uniqueIds, publishedIds = 0, entity, acceptShrink } = snapshot
  const lost = publishedIds - uniqueIds
  const { maxShrinkPercent } = entity
  const hasShrunk = hasShrunkTooMuch({ lost, publishedIds }, maxShrinkPercent)
  if (uniqueIds === 0 && !entity.allowEmpty) {
    const reason = `${entity.name} has no documents, and allowEmpty is not set. To accept this, set it and deploy.`
    return { key: 'allowEmpty', reason }
  }
  if (hasShrunk && !acceptShrink) {
    const percent = ((lost * 100) / publishedIds).toFixed(1)
    const reason =
      `${formatCount(uniqueIds)} documents are ${percent}% fewer than the ${formatCount(publishedIds)} of the published ` +
      `snapshot; the limit is ${shrinkLimitText(maxShrinkPercent)} (maxShrinkPercent). Review and accept it, or sync again.`
    return { key: 'maxShrinkPercent', reason }
  }
  return undefined
}
