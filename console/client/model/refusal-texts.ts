import { missingShare, shortened } from '../../../operator/text/review.ts'
import type { RefusedRow } from '../../contract/review.ts'

export { commonValueText } from '../../../operator/text/review.ts'

export const refusalTitles: Readonly<Record<RefusedRow['guard'], string>> = {
  snapshot: 'A guard refused to publish this snapshot.',
  changes: 'The snapshot is published. A guard refused its change set.',
}

const maxCharacters = 200

export const shownSample = (sample: readonly string[]) => sample.map((text) => shortened(text, maxCharacters))

/** `79%` of the documents with a value are missing. */
export const shareText = missingShare
