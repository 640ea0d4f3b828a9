import type { RefusedRow, ShareRow } from '../../contract.ts'

export const refusalTitles: Readonly<Record<RefusedRow['guard'], string>> = {
  snapshot: 'A guard refused to publish this snapshot.',
  changes: 'The snapshot is published. A guard refused its change set.',
}

/** `79%` of the documents with a value are missing. */
export const shareText = ({ before, missing }: ShareRow) => `${Math.round((missing * 100) / before)}%`

const maxCharacters = 200

export const shownSample = (sample: readonly string[]) =>
  sample.map((text) => (text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text))
