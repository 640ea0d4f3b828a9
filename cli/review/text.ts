import type { Share } from '../../operator/review/distribution.ts'
import type { Refusal } from '../../operator/review/refusal.ts'
import type { Review } from '../../operator/review/review.ts'
import { formatCount, formatDocuments } from '../../operator/text/format.ts'
import { missingShare, shortened } from '../../operator/text/review.ts'
import { formatTable } from '../shell/table.ts'

const what = { snapshot: 'The snapshot', changes: 'The change set' } as const

/** What was refused, what publishing it would take away, and how the missing documents are distributed. */
export function reviewText(refusal: Refusal, review: Review, accept: string): string {
  const { guard, entity, runId, reason } = refusal
  const { before, after, missing, created, months, fields, sample } = review
  const blocks = [
    `${what[guard]} of run ${runId} of ${entity} was refused: ${reason}`,
    formatTable([['BEFORE', 'AFTER', 'MISSING', 'NEW'], [before, after, missing, created].map(formatCount)]),
    ...(months.length > 0 ? [sharesText('MONTH OF createdIn', months)] : []),
    ...fields.map(({ field, values }) => sharesText(field, values)),
    ...(sample.length > 0
      ? [[`Some of the ${formatDocuments(missing)} that are missing:`, ...sample.map(indented)].join('\n')]
      : []),
    `To publish exactly this: ${accept}`,
  ]
  return blocks.join('\n\n')
}

const maxShownMonths = 24

function sharesText(title: string, shares: readonly Share[]): string {
  const rows = shares
    .slice(-maxShownMonths)
    .map((share) => [share.value, formatCount(share.missing), formatCount(share.before), missingShare(share)])
  return formatTable([[title, 'MISSING', 'OF', 'SHARE'], ...rows])
}

const maxCharacters = 400

const indented = (text: string) => `  ${shortened(text, maxCharacters)}`
