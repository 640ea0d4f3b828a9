import type { EntitySettings } from '../../runtime/settings.ts'

/** Why a proven snapshot is not published, and how to accept it. Undefined if it may be published. */
export function refusalReason(snapshot: {
  readonly documents: number
  /** Documents of the snapshot that is published now; undefined if there is none. */
  readonly publishedDocuments: number | undefined
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
}): string | undefined {
  const { documents, publishedDocuments = 0, entity, acceptShrink } = snapshot
  const lost = publishedDocuments - documents
  const hasShrunk = lost * 100 > entity.maxShrinkPercent * publishedDocuments
  const accept = 'start the sync with {"acceptShrink": true}'
  if (documents === 0 && !entity.allowEmpty) {
    const allow = 'set allowEmpty for it in the configuration and deploy'
    return `The entity ${entity.name} has no documents. To accept this, ${allow}${hasShrunk ? `, then ${accept}` : ''}.`
  }
  if (hasShrunk && !acceptShrink) {
    const percent = ((lost * 100) / publishedDocuments).toFixed(1)
    return (
      `${documents} documents are ${percent}% fewer than the ${publishedDocuments} of the published snapshot; ` +
      `maxShrinkPercent is ${entity.maxShrinkPercent}. To accept this, ${accept}.`
    )
  }
  return undefined
}
