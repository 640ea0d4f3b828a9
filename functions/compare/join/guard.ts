const alwaysAcceptedDeletes = 10

/** Why a change set is not published, and how to review and accept it; undefined if it may be published. */
export function refusal(set: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxDeletePercent: number
  readonly runId: string
}): string | undefined {
  const { deleted, baseDocuments, maxDeletePercent, runId } = set
  if (deleted <= alwaysAcceptedDeletes || deleted * 100 <= maxDeletePercent * baseDocuments) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  return (
    `The change set deletes ${deleted} of ${baseDocuments} documents (${percent}%); maxDeletePercent is ` +
    `${maxDeletePercent}. Review them: longshore review ${runId}. To publish exactly this change set: ` +
    `longshore accept ${runId}`
  )
}
