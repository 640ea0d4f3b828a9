import type { Exchange } from '../../upstream/recorded-exchange.ts'
import { type Outcome, outcomeName, outcomeOf } from './outcome.ts'

/**
 * What shows that a scroll has ended: nothing makes it doubtful (`confirmed`); it was confirmed by a 4xx, which a lost
 * cursor receives, too (`refused`); nothing confirms it (`unconfirmed`); a 4xx at the total may be a cap (`capped`).
 */
export type End = 'confirmed' | 'refused' | 'unconfirmed' | 'capped'

export interface EndedScroll {
  /** The requests after the last page, the one that ended the scroll included. */
  readonly exchanges: readonly Exchange[]
  readonly uniqueIds: number
  readonly total: number | undefined
  readonly pages: number
  /** True for a range whose first page came empty and without a token. */
  readonly isEmptyRange: boolean
  readonly largestPage: number
  /** Pages with as many documents as the largest. */
  readonly largestPages: number
  /** Whether these ids are those of the attempt's first page. */
  readonly repeatsFirstPage: (ids: readonly string[]) => boolean
}

/**
 * Reads how a scroll ended, and which requests may have moved the cursor before. After its first end, a request is sent again
 * only to confirm it.
 */
export function readEnd(scroll: EndedScroll): { end: End; unknown: { at: number; what: string }[] } {
  const { exchanges, uniqueIds, total = Number.POSITIVE_INFINITY, pages, largestPage } = scroll
  const isComplete = uniqueIds === total
  // The platform sent no token with its last page, so that nothing could be requested.
  if (exchanges.length === 0)
    return isComplete
      ? { end: 'confirmed', unknown: [] }
      : { end: 'unconfirmed', unknown: [{ at: 0, what: 'no-token' }] }
  // A platform that stops after so many full pages refuses the next one.
  const isInFullPages = uniqueIds % largestPage === 0 && scroll.largestPages >= 2
  const unknown: { at: number; what: string }[] = []
  let hasEnded = false
  for (const exchange of exchanges) {
    const outcome = outcomeOf(exchange)
    if (hasEnded) {
      const end = confirmation(scroll, exchange, outcome)
      if (end) return { end, unknown }
    } else if (outcome === 'empty') {
      hasEnded = true
      // The beginning of a range is requested again although it is complete.
      if (uniqueIds >= total && !scroll.isEmptyRange) return { end: 'confirmed', unknown }
    } else if ((outcome === 'nothing' || outcome === 'refused') && isComplete && pages > 0)
      return { end: outcome === 'refused' && isInFullPages ? 'capped' : 'confirmed', unknown }
    else if (outcome !== 'not-done' && pages > 0)
      unknown.push({ at: exchange.at, what: outcomeName(outcome) })
  }
  return { end: 'unconfirmed', unknown }
}

function confirmation(
  { total, pages, repeatsFirstPage }: EndedScroll,
  exchange: Exchange,
  outcome: Outcome,
): End | undefined {
  if (outcome === 'empty') return 'confirmed'
  // A refused first request shows nothing about the documents of a range.
  if (outcome === 'refused' && pages > 0) return total === undefined ? 'refused' : 'confirmed'
  const ids = 'status' in exchange ? exchange.details?.ids : undefined
  return outcome === 'documents' && ids && repeatsFirstPage(ids) ? 'confirmed' : undefined
}
