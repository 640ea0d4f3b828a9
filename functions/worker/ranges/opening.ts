import type { ReportedTotal } from '../../../stored/pages/page.ts'
import { type AgreementDecision, decideAgreement } from '../../../stored/partitions/agreement.ts'
import { SearchFailed } from '../../../stored/partitions/search.ts'
import type { RangeFilter } from '../../../stored/run/range.ts'
import type { AttemptContext } from '../context.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import type { OpeningResult } from '../scroll/io.ts'
import { createSearch } from './search-io.ts'

const pauseMs = 1_000
/** After the search has been repeated for minutes. */
const outageWaitMs = 60_000

export interface OpenedScroll {
  readonly by: string
  readonly filter: RangeFilter
  /** The total of the first response. */
  readonly scrolled: ReportedTotal
  readonly tolerancePercent: number
}

export type TotalComparison =
  | (Extract<AgreementDecision, { kind: 'agreement' | 'near-agreement' }> & {
      readonly searched: readonly number[]
    })
  | Extract<AgreementDecision, { kind: 'disagreement' }>
  | Extract<OpeningResult, { kind: 'wait' }>

/** Compares the total of a range's first response with searches before and after it. */
export async function compareOpening(
  context: AttemptContext,
  session: ScrollingSession,
  { by, filter: { where, documents }, scrolled, tolerancePercent }: OpenedScroll,
): Promise<TotalComparison> {
  const search = createSearch(context, session, by)
  const searched = [documents]
  try {
    for (;;) {
      searched.push((await search({ where })).total)
      const decision = decideAgreement({ scrolled, searched, tolerancePercent })
      if (decision.kind === 'disagreement') return decision
      if (decision.kind !== 'read-again') return { ...decision, searched }
      await context.sleep(pauseMs)
    }
  } catch (error) {
    if (!(error instanceof SearchFailed)) throw error
    const { message: reason } = error
    return error.reason === 'outage'
      ? { kind: 'wait', waitMs: outageWaitMs, reason }
      : { kind: 'disagreement', reason }
  }
}
