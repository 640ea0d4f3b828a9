import { formatCount, formatDocuments } from '../../runtime/format.ts'

const alwaysAcceptedDeletes = 10

/** Why a change set is not published; undefined if it may be published. Who shows it adds the commands. */
export function refusal(set: {
  readonly deleted: number
  readonly baseDocuments: number
  readonly maxDeletePercent: number
}): string | undefined {
  const { deleted, baseDocuments, maxDeletePercent } = set
  if (deleted <= alwaysAcceptedDeletes || deleted * 100 <= maxDeletePercent * baseDocuments) return undefined
  const percent = ((deleted * 100) / baseDocuments).toFixed(1)
  return (
    `The change set deletes ${formatCount(deleted)} of ${formatDocuments(baseDocuments)} (${percent}%); ` +
    `maxDeletePercent is ${maxDeletePercent}. Review and accept it, or sync again.`
  )
}
