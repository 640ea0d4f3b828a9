import type { EntitySettings } from '../../runtime/settings.ts'
import { hasShrunkTooMuch, shrinkLimitText } from '../../state/run/shrink-limit.ts'

export interface GuardRefusal {
  /** The configuration key of the guard. */
  readonly key: keyof EntitySettings
  /** Why the snapshot is not published, and how to review and accept it. */
  readonly reason: string
}

/** Whether a guard refuses a proven snapshot; undefined if it may be published. */
export function refusalOf(snapshot: {
  readonly runId: string
  readonly uniqueIds: number
  /** Of the snapshot that is published now; undefined if there is none. */
  readonly publishedIds: number | undefined
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
}): GuardRefusal | undefined {
  const { runId, uniqueIds, publishedIds = 0, entity, acceptShrink } = snapshot
  const lost = publishedIds - uniqueIds
  const { maxShrinkPercent } = entity
  const hasShrunk = hasShrunkTooMuch({ lost, publishedIds }, maxShrinkPercent)
  const accept = `longshore accept ${runId}`
  if (uniqueIds === 0 && !entity.allowEmpty) {
    const allow = 'set allowEmpty for it in the configuration and deploy'
    const reason = `The entity ${entity.name} has no documents. To publish this, ${allow}, then: ${accept}`
    return { key: 'allowEmpty', reason }
  }
  if (hasShrunk && !acceptShrink) {
    const percent = ((lost * 100) / publishedIds).toFixed(1)
    const reason =
      `${uniqueIds} documents are ${percent}% fewer than the ${publishedIds} of the published snapshot; ` +
      `the limit is ${shrinkLimitText(maxShrinkPercent)} (maxShrinkPercent). Review what is missing: longshore review ${runId}. ` +
      `To publish exactly this snapshot: ${accept}`
    return { key: 'maxShrinkPercent', reason }
  }
  return undefined
}
