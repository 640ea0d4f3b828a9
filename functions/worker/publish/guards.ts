import type { EntitySettings } from '../../runtime/settings.ts'

/** Why a whole snapshot is not published all the same, and how to accept it; undefined if it may be. */
export function refusal(snapshot: {
  readonly documents: number
  /** Documents of the snapshot that is published now, if there is one. */
  readonly publishedDocuments: number | undefined
  readonly entity: EntitySettings
  readonly acceptShrink: boolean
}): string | undefined {
  const { documents, publishedDocuments = 0, entity, acceptShrink } = snapshot
  if (documents === 0 && !entity.allowEmpty) {
    return `The entity ${entity.name} is empty. If that is right, set allowEmpty for it in the configuration and deploy.`
  }
  const lost = publishedDocuments - documents
  if (!acceptShrink && lost * 100 > entity.maxShrinkPercent * publishedDocuments) {
    const percent = ((lost * 100) / publishedDocuments).toFixed(1)
    return (
      `${documents} documents are ${percent}% fewer than the ${publishedDocuments} of the published snapshot; ` +
      `maxShrinkPercent is ${entity.maxShrinkPercent}. If that is right, start the sync with {"acceptShrink": true}.`
    )
  }
  return undefined
}
