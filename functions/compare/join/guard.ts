/** This many deletes are always accepted. */
const alwaysAcceptedDeletes = 10

/** Why a change set is not published, and how to accept it; undefined if it may be published. */
export function refusal(set: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxDeletePercent: number
}): string | undefined {
  const { deleted, baseDocuments, maxDeletePercent } = set
  if (deleted <= alwaysAcceptedDeletes || deleted * 100 <= maxDeletePercent * baseDocuments) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  return (
    `The change set deletes ${deleted} of ${baseDocuments} documents (${percent}%); maxDeletePercent is ` +
    `${maxDeletePercent}. To accept this, start the sync with {"acceptDeletes": true}.`
  )
}
