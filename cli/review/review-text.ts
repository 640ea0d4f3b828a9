import { formatCount, formatDocuments } from '../../functions/runtime/format.ts'
import { escapeHidden, escapeLine } from '../../functions/runtime/hidden-characters.ts'
import type { Share } from '../../operator/review/distribution.ts'
import type { ReviewedRefusal, ShownReview } from '../../operator/review/review.ts'
import { commonValueText, missingShare, shortened } from '../../operator/text/review.ts'
import { formatTable } from '../shell/text-table.ts'

const what = { snapshot: 'The snapshot', changes: 'The change set' } as const

/** What was refused, what publishing it would take away, and how the missing documents are distributed. */
export function reviewText(
  refusal: ReviewedRefusal,
  review: ShownReview,
  { accept, columns }: { readonly accept: string; readonly columns: number | undefined },
): string {
  const { guard, entity, runId, reason } = refusal
  const { before, after, missing, created, months, fields, sample } = review
  const commonValue = commonValueText(review)
  const blocks = [
    `${what[guard]} of run ${runId} of ${entity} was refused: ${reason}`,
    ...(commonValue === undefined ? [] : [escapeHidden(commonValue)]),
    formatTable([['BEFORE', 'AFTER', 'MISSING', 'NEW'], [before, after, missing, created].map(formatCount)]),
    ...fields.map(({ field, values }) => sharesText(field, values, columns)),
    ...(months.length > 0 ? [monthsText(months)] : []),
    ...(sample.length > 0
      ? [
          [
            `Some of the ${formatDocuments(missing)} that are missing:`,
            ...sample.map((text) => documentText(text, columns)),
          ].join('\n'),
        ]
      : []),
    `To publish exactly this: ${accept}`,
  ]
  return blocks.join('\n\n')
}

const maxShownMonths = 24
/** Of a bar, in characters, if every document of a month is missing. */
const barWidth = 10

function monthsText(months: readonly Share[]): string {
  const rows = months
    .slice(-maxShownMonths)
    .map((share) => [...cellsOf(share), '█'.repeat(Math.round((share.missing * barWidth) / share.before))])
  return formatTable([['MONTH OF createdIn', ...numberTitles, ''], ...rows])
}

/** Of the columns after the value. */
const maxNumbersWidth = 36

function sharesText(title: string, shares: readonly Share[], columns = Number.POSITIVE_INFINITY): string {
  const shorten = (text: string) => shortened(text, columns - maxNumbersWidth)
  const rows = shares.map(cellsOf).map(([value = '', ...numbers]) => [shorten(value), ...numbers])
  return formatTable([[shorten(escapeLine(title)), ...numberTitles], ...rows])
}

const numberTitles = ['MISSING', 'OF', 'SHARE']

const cellsOf = (share: Share) => [
  escapeHidden(share.value),
  formatCount(share.missing),
  formatCount(share.before),
  missingShare(share),
]

const maxCharacters = 400

/** On one line. On a terminal, it is broken between members, and a line that is still too long is shortened. */
function documentText(text: string, columns = Number.POSITIVE_INFINITY): string {
  const lines: string[] = []
  for (const member of shortened(escapeHidden(text), maxCharacters).split(/(?<=,)(?=")/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + member.length <= columns - indent)
      lines[lines.length - 1] += member
    else lines.push(member)
  }
  return lines
    .map((line, index) => `${index === 0 ? '  ' : '    '}${shortened(line, columns - indent)}`)
    .join('\n')
}

/** Spaces before each line of a document after the first. */
const indent = 4
