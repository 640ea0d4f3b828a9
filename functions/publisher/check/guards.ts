import type { GuardLimits } from '../../../stored/run/run.ts'
import { hasShrunkTooMuch, shrinkLimitText } from '../../../stored/run/shrink-limit.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { lacksEveryId, noIdText } from '../../../stored/snapshots/without-id.ts'
import { formatCount } from '../../runtime/format-count.ts'

/** A proven snapshot, before it is published. */
export interface Candidate {
  readonly manifest: Pick<Manifest, 'entity' | 'documents' | 'uniqueIds' | 'withoutId' | 'idField'>
  /** Fields of its first page that could be the id. */
  readonly idCandidates: readonly string[]
  /** The snapshot that is published now; undefined if there is none. */
  readonly published: Pick<Manifest, 'documents' | 'uniqueIds' | 'withoutId'> | undefined
  readonly limits: GuardLimits
  readonly acceptShrink: boolean
}

export interface GuardRefusal {
  readonly key: 'allowEmpty' | 'idField' | 'maxShrinkPercent'
  readonly reason: string
}

/** Whether a guard refuses a proven snapshot; undefined if it may be published. */
export function refusalOf(candidate: Candidate): GuardRefusal | undefined {
  const { manifest, published, limits } = candidate
  const { entity, uniqueIds } = manifest
  const publishedIds = published?.uniqueIds ?? 0
  if (uniqueIds === 0 && !limits.allowEmpty) {
    const reason = `${entity} has no documents, and allowEmpty is not set. To accept this, set it and deploy.`
    return { key: 'allowEmpty', reason }
  }
  if (lacksEveryId(manifest) && !(published && lacksEveryId(published))) {
    const fields = candidate.idCandidates.join(', ')
    const could = fields
      ? `Fields that could be the id: ${fields}.`
      : 'No field of the first page could be the id.'
    return { key: 'idField', reason: `In ${entity}, ${noIdText(manifest)}. ${could}` }
  }
  const lost = publishedIds - uniqueIds
  if (!hasShrunkTooMuch({ lost, publishedIds }, limits) || candidate.acceptShrink) return undefined
  const percent = ((lost * 100) / publishedIds).toFixed(1)
  const reason =
    `${formatCount(uniqueIds)} documents are ${percent}% fewer than the ${formatCount(publishedIds)} of the published ` +
    `snapshot; the limit is ${shrinkLimitText(limits)} (maxShrinkPercent).`
  return { key: 'maxShrinkPercent', reason }
}
