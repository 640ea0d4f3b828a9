import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import { commonValueText } from '../text/review.ts'
import type { ChangeSummary, FieldSummary } from './change-summary.ts'

/** Fewer documents have a value in common by chance. */
const minInCommon = 5

/** What changed and why, in sentences: the values that created and deleted documents share, then each field. */
export function summaryLines({ fields, created, deleted }: ChangeSummary): string[] {
  const common = ({ documents, fields }: ChangeSummary['created'], what: string) =>
    documents < minInCommon ? [] : (commonValueText({ missing: documents, fields }, what) ?? [])
  return [
    common(deleted, 'that were deleted'),
    common(created, 'that were created'),
    fields.map(fieldLine),
  ].flat()
}

/** `total changed in 19 documents, sum +12,345.` */
function fieldLine({ field, documents, sum, values }: FieldSummary): string {
  const where = `${field} changed in ${formatDocuments(documents)}`
  if (sum !== null) return `${where}, sum ${sum}.`
  const [first] = values
  // Values of which each occurs once say nothing about the others.
  if (!first || (first.documents === 1 && documents > values.length)) return `${where}.`
  const shown = values.map(
    ({ before, after, documents: count }) =>
      `${before ?? 'missing'} → ${after ?? 'missing'}${documents === 1 ? '' : ` in ${formatCount(count)}`}`,
  )
  const counted = values.reduce((sum, one) => sum + one.documents, 0)
  return `${where}: ${shown.join(', ')}${counted < documents ? ', and others' : ''}.`
}
