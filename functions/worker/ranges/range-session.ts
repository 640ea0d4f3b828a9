import type { ReportedTotal } from '../../../stored/pages/page.ts'
import { type AgreementDecision, decideAgreement } from '../../../stored/partitions/agreement.ts'
import type { Search } from '../../../stored/partitions/plan.ts'
import { withFilter } from '../../../stored/partitions/ranges.ts'
import { SearchFailed, searchOne, searchRequest } from '../../../stored/partitions/search.ts'
import { attemptOf } from '../../../stored/run/attempts.ts'
import type { OpenRange, RangeFilter, RangeState } from '../../../stored/run/range.ts'
import {
  openRangeAt,
  withApproximateCoverage,
  withOpening,
  withRange,
} from '../../../stored/run/run-changes.ts'
import { CredentialsError } from '../../upstream/exchange.ts'
import type { AttemptContext } from '../context.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import { awaitCheck } from '../publish/publish.ts'
import { sendCounted } from '../scroll/counted-request.ts'
import type { OpeningResult } from '../scroll/io.ts'
import type { RangeSession } from '../scroll-range.ts'
import type { RangeInGroup } from './run-ranges.ts'

/** A range of a full run. Its state is written with the run, its pages are stored and committed one by one. */
export function rangeSession(
  context: AttemptContext,
  session: ScrollingSession,
  { index, stopRequested, onOpened }: RangeInGroup & { readonly index: number },
): RangeSession {
  const { now, invocation } = context
  const { totals = 'check', totalTolerancePercent: tolerancePercent } = session.run.plan
  const change = (change: (range: OpenRange) => RangeState) =>
    session.change((run) => withRange(run, index, change))
  return {
    owner: session,
    change,
    onOpened,
    totals,
    get scope() {
      return this.range.filter ? 'partition' : 'entity'
    },
    get query() {
      const { query } = session.run.plan
      return this.range.filter ? withFilter(query, this.range.filter.where) : query
    },
    get range() {
      return openRangeAt(session.run, index)
    },
    get attempt() {
      return { entity: session.run.entity, ...attemptOf(session.run, index) }
    },
    get idField() {
      return session.run.plan.idField
    },
    timeIsUp: () => stopRequested() || now() >= invocation.handOffAt,
    recordProgress(position) {
      session.recordProgress(this.attempt, position)
    },
    async beforeOpening() {
      if (withOpening(session.run, index) !== session.run)
        await session.change((run) => withOpening(run, index))
    },
    async checkOpening(scrolled) {
      const { filter } = this.range
      const { split } = session.run
      if (!filter || split.kind !== 'ranges') {
        onOpened()
        return { kind: 'agreement', total: scrolled }
      }
      // A scroll that ignores its filter stays open at the platform, so no further one is opened until they agree.
      if (scrolled === filter.documents || scrolled === 'not-reported') onOpened()
      const opened = { by: split.by, filter, scrolled, tolerancePercent }
      const decision = await compareOpening(context, session, opened)
      if (decision.kind === 'disagreement' || decision.kind === 'wait') return decision
      onOpened()
      if (decision.kind === 'near-agreement') await session.change(withApproximateCoverage)
      return { kind: 'agreement', total: decision.total, searched: decision.searched }
    },
    async prove() {
      const { entity, runId } = session.run
      const asking = { renew: () => session.renew(), stopRequested }
      const proof = await awaitCheck(context, asking, (maxMs) =>
        context.publisher.checkRange({ entity, runId, range: index }, maxMs),
      )
      if (proof.kind === 'damaged') return { ...proof, kind: 'failed' }
      if (proof.kind !== 'unproven') return proof
      // The count of a suspect attempt never vouches for a later one.
      return { ...proof, uniqueIds: proof.suspect ? undefined : proof.uniqueIds }
    },
  }
}

const pauseMs = 1_000
/** After the search has been repeated for minutes. */
const outageWaitMs = 60_000

interface OpenedScroll {
  readonly by: string
  readonly filter: RangeFilter
  /** The total of the first response. */
  readonly scrolled: ReportedTotal
  readonly tolerancePercent: number
}

type TotalComparison =
  | (Extract<AgreementDecision, { kind: 'agreement' | 'near-agreement' }> & {
      readonly searched: readonly number[]
    })
  | Extract<AgreementDecision, { kind: 'disagreement' }>
  | Extract<OpeningResult, { kind: 'wait' }>

/** Compares the total of a range's first response with searches before and after it. */
async function compareOpening(
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

const requestMs = 30_000
/** In one run, repeated ones included. */
const maxSearches = 300
/** The worker's last seconds are not spent on searches. */
const reserveMs = 30_000

/** Searches with the credentials and the query of a run, and counts its requests. */
export function createSearch(context: AttemptContext, session: ScrollingSession, by: string): Search {
  const { settings, upstream, invocation, now, sleep, random } = context
  const { entity, plan } = session.run
  const target = { searchPath: settings.upstream.searchPath, entity, query: plan.query }
  const io = {
    now,
    sleep,
    random,
    redact: (text: string) => upstream.redact(text),
    deadline: invocation.killedAt - reserveMs,
    async request(target: string, headers: Readonly<Record<string, string>>) {
      if (!(await session.countSearch(maxSearches)))
        throw new SearchFailed(
          'refused',
          `The run has sent ${maxSearches} searches, which was not enough for its ranges.`,
        )
      const leftMs = invocation.killedAt - reserveMs - now()
      if (leftMs <= 0) throw new SearchFailed('outage', 'The searches took longer than the worker may run.')
      try {
        const request = searchRequest(target, headers, Math.min(requestMs, leftMs))
        return await sendCounted(upstream, session, request)
      } catch (error) {
        throw error instanceof CredentialsError ? new SearchFailed('outage', error.message) : error
      }
    },
  }
  return (request) => searchOne(io, target, { ...request, by })
}
