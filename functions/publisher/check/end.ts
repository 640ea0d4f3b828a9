import type { Exchange } from '../../upstream/recorded-exchange.ts'
import { type AttemptItems, type UnknownOutcome, unknownOutcomes } from './attempt.ts'
import { type Outcome, outcomeName, outcomeOf } from './outcome.ts'
import type { End, Total } from './proof.ts'

/** An attempt whose scroll has ended, and what was counted of it. */
export interface EndedScroll extends AttemptItems {
  readonly uniqueIds: number
  readonly total: Total
  readonly isOfRange: boolean
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
export function readEnd(scroll: EndedScroll): { end: End; unknown: readonly UnknownOutcome[] } {
  const { pages, end, uniqueIds, largestPage } = scroll
  // Not a number, which nothing equals, without a total or with a malformed one.
  const total = Number(scroll.total)
  const isComplete = uniqueIds === total
  const unknown = unknownOutcomes(scroll)
  const addUnknown = (at: number, what: string) =>
    unknown.push({ page: end.page, at: new Date(at).toISOString(), what })
  // Of 1.0.0.
  if (!end.received) return { end: end.isConfirmed ? 'confirmed' : 'unconfirmed', unknown }
  const { exchanges } = end.received
  // The platform sent no token with its last page, so that nothing could be requested.
  if (exchanges.length === 0) {
    if (isComplete) return { end: 'confirmed', unknown }
    addUnknown(pages.at(-1)?.received?.exchanges.at(-1)?.at ?? end.respondedAt, 'no-token')
  }
  // A platform that stops after so many full pages refuses the next one.
  const isInFullPages = uniqueIds % largestPage === 0 && scroll.largestPages >= 2
  // The beginning of a range is requested again although it is complete.
  const isEmptyRange = scroll.isOfRange && pages.length === 0 && end.token === undefined
  let hasEnded = false
  for (const exchange of exchanges) {
    const outcome = outcomeOf(exchange)
    if (hasEnded) {
      const end = confirmation(scroll, exchange, outcome)
      if (end) return { end, unknown }
    } else if (outcome === 'empty') {
      hasEnded = true
      if (uniqueIds >= total && !isEmptyRange) return { end: 'confirmed', unknown }
    } else if (isComplete && pages.length > 0 && /^(?:nothing|no-list|refused)$/.test(outcomeName(outcome)))
      return { end: outcome !== 'nothing' && isInFullPages ? 'capped' : 'confirmed', unknown }
    else if (outcome !== 'not-done' && pages.length > 0) addUnknown(exchange.at, outcomeName(outcome))
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
  if (outcome === 'refused' && pages.length > 0) return typeof total === 'number' ? 'confirmed' : 'refused'
  const ids = 'status' in exchange ? exchange.details?.ids : undefined
  return outcome === 'documents' && ids && repeatsFirstPage(ids) ? 'confirmed' : undefined
}
