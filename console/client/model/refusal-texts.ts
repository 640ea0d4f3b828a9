import { missingShare, shortened } from '../../../operator/text/review.ts'
import type { RefusedRow } from '../../contract/review.ts'
import { api, withQuery } from '../request.ts'

export { commonValueText } from '../../../operator/text/review.ts'

export const refusalTitles: Readonly<Record<RefusedRow['guard'], string>> = {
  snapshot: 'A guard refused to publish this snapshot.',
  changes: 'The snapshot is published. A guard refused its change set.',
}

const maxCharacters = 200

export const shownSample = (sample: readonly string[]) => sample.map((text) => shortened(text, maxCharacters))

/** `79%` of the documents with a value are missing. */
export const shareText = missingShare

/** A run can be refused twice: its snapshot, then its change set. What is known of one review is not about the other. */
export const reviewPath = (entity: string, runId: string, guard: RefusedRow['guard']) =>
  withQuery(api`/entities/${entity}/runs/${runId}/review`, { guard })
