import type { Position } from '../../../stored/pages/page.ts'
import { formatCount, formatDocuments } from '../../runtime/format.ts'

const maxRepeatedPages = 100
const maxPagesWithoutTotal = 50_000
/** Page numbers have six digits. */
const maxPages = 999_000

/** Why a scroll counts as endless; undefined while it may still end. */
export function runawayReason(position: Position): string | undefined {
  const { page, documentsSoFar, repeatedPages, total } = position
  if (typeof total === 'number' && documentsSoFar > 2 * total)
    return `it has sent ${formatDocuments(documentsSoFar)}, more than twice the reported total of ${formatCount(total)} (if this total is always wrong, set totals: 'ignore' for the entity)`
  if (repeatedPages >= maxRepeatedPages) return `the last ${repeatedPages} pages repeated earlier ones`
  if (typeof total !== 'number' && page >= maxPagesWithoutTotal)
    return `it has sent ${page} pages without a total`
  return page >= maxPages ? `it has sent ${page} pages` : undefined
}
