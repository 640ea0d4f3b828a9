import { headerName, platformHeaders } from '../platform/headers.ts'
import { sentence } from '../runtime/format.ts'
import type { TotalsRule } from '../runtime/settings.ts'
import { startPosition } from '../state/pages/page.ts'
import { type AttemptEnd, interrupted, nextAttempt, proven, type RangeProof } from '../state/run/range.ts'
import type { FailureCause, ScrollPlan } from '../state/run/run.ts'
import type { StateStore } from '../state/sync-state.ts'
import type { AttemptContext } from './context.ts'
import { repeatDetectorAt } from './page/repeat-detector.ts'
import type { FinishedScroll, ProofDecision } from './proof/decision.ts'
import { AttemptCount, type PageCount } from './proof/page-count.ts'
import { causeOf } from './scroll/decision.ts'
import { type ScrollContext, type ScrollSession, scrollIo } from './scroll/io.ts'
import { type ScrollEnd, scroll } from './scroll/loop.ts'
import type { OutcomeName } from './scroll/outcomes.ts'

/**
 * What is scrolled until it is proven complete: a whole entity, one of its partitions, or the window of an increment.
 * They differ in these members and in where the pages go, not in how they are scrolled.
 */
export interface RangeSession extends ScrollSession {
  readonly scope: Scope
  /** With the filter of the range. */
  readonly query: ScrollPlan['query']
  readonly totals: TotalsRule
  /** Called when the scroll is open at the platform. */
  onOpened(): void
  /** Whether an attempt whose scroll has ended is complete. */
  decide(scroll: FinishedScroll): Promise<ProofDecision>
}

export type Scope = 'entity' | 'partition' | 'window'

/** What the engine uses of the worker's context. The pages of a window are in memory. */
export type RangeContext = Pick<AttemptContext, 'settings' | 'invocation'> &
  ScrollContext & { readonly state: Pick<StateStore, 'lastPosition'> }

/** How a range's scroll stopped. */
export type RangeStop =
  | { readonly kind: 'proven'; readonly found: RangeProof; readonly count: PageCount }
  /** The worker's time is up, or it was asked to stop. */
  | { readonly kind: 'interrupted' }
  /** Call again after `waitMs`. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  /** The range cannot be proven complete. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly cause?: FailureCause | undefined }
  /** Nothing that is sent to the platform can succeed. */
  | { readonly kind: 'failed'; readonly reason: string; readonly cause?: FailureCause | undefined }
  /** There are no credentials yet. */
  | { readonly kind: 'skipped'; readonly reason: string }

const maxAttempts = 3

/** Scrolls one range until it is proven or has to stop. */
export async function scrollRange(context: RangeContext, session: RangeSession): Promise<RangeStop> {
  for (;;) {
    const stop = await scrollAttempt(context, session)
    if (stop !== 'next-attempt') return stop
  }
}

type AttemptStop = RangeStop | 'next-attempt'

/** This worker's part of an attempt. */
async function scrollAttempt(context: RangeContext, session: RangeSession): Promise<AttemptStop> {
  const { settings, state, invocation } = context
  const { attempt, range, scope, query, totals } = session
  const { pageSize, retryState } = range
  const isBegun = range.state === 'open'
  const position = (isBegun ? await state.lastPosition(attempt) : undefined) ?? startPosition(pageSize)
  const pages = () => state.pages(attempt)
  if (position.kind !== 'start') session.onOpened()
  using count = new AttemptCount(pages, { isNew: position.kind === 'start' })
  const repeats = await repeatDetectorAt(position, pages)
  const end = await scroll(
    {
      entity: attempt.entity,
      query,
      isRange: scope === 'partition',
      totals,
      tokenHeader: headerName(platformHeaders.scrollToken, settings.upstream.headerPrefix),
      position,
      retryState,
    },
    scrollIo(context, session, { invocation, repeats, count }),
  )
  if (end.kind !== 'ended') return afterScroll(context, session, end)
  if (session.timeIsUp()) {
    const { pageSize } = end.position
    return afterScroll(context, session, { kind: 'time-is-up', pageSize, retryState: undefined })
  }
  return prove(context, session, { end, count: await count.result() })
}

/** What follows when a scroll stops before its end. */
async function afterScroll(
  context: RangeContext,
  session: RangeSession,
  end: Exclude<ScrollEnd, { kind: 'ended' }>,
): Promise<AttemptStop> {
  const { log, now } = context
  const { scope } = session
  switch (end.kind) {
    case 'time-is-up':
      await session.change((range) => interrupted(range, { ...learnedBy(end), readyAt: 0 }))
      return { kind: 'interrupted' }
    case 'wait': {
      const { waitMs, reason } = end
      await session.change((range) => interrupted(range, { ...learnedBy(end), readyAt: now() + waitMs }))
      log('WARN', 'range waiting', { ...session.attempt, reason, waitSeconds: Math.ceil(waitMs / 1000) })
      return { kind: 'wait', waitMs, reason }
    }
    case 'new-attempt':
      // The scroll that is left open keeps the slot of an increment until its token has expired.
      return scope === 'window'
        ? { kind: 'failed', reason: end.reason, cause: causeOf(end.outcome) }
        : giveUpAttempt(context, session, { ...end, uniqueIds: undefined })
    case 'disagreement':
      return { kind: 'unproven', reason: end.reason }
    case 'fail':
      return scope === 'partition' && filterFailures.has(end.outcome)
        ? { kind: 'unproven', reason: `A range cannot be scrolled. ${end.reason}` }
        : { kind: 'failed', reason: end.reason, cause: causeOf(end.outcome) }
    case 'skip':
      return { kind: 'skipped', reason: end.reason }
  }
}

const learnedBy = ({ retryState, pageSize }: Extract<ScrollEnd, { kind: 'time-is-up' | 'wait' }>) => ({
  retryState,
  pageSize,
})

/** Failures that the filter of a partition can cause. The entity may be scrolled without it. */
const filterFailures: ReadonlySet<OutcomeName> = new Set([
  'request refused',
  'firewall',
  'platform failed',
  'request timeout',
  'timeout',
  'runaway',
])

async function prove(
  context: RangeContext,
  session: RangeSession,
  { end: { position }, count }: { end: ScrollEnd & { kind: 'ended' }; count: PageCount },
): Promise<AttemptStop> {
  const { uniqueIds, received, largestPage, documents, pages } = count
  const { total, pageSize, openedAt, evidence } = position
  const { suspect, doubt } = session.range
  const decision = await session.decide({ uniqueIds, total, largestPage, suspect, evidence })
  if (decision.kind === 'failed') return decision
  if (decision.kind === 'unproven')
    return giveUpAttempt(context, session, {
      reason: doubt === undefined ? decision.reason : `${decision.reason} ${sentence(doubt)}`,
      pageSize,
      uniqueIds,
    })
  const found: RangeProof = {
    proof: decision.proof,
    documents,
    uniqueIds,
    pages: pages.length,
    received,
    total: typeof total === 'number' ? total : null,
    openedAt,
  }
  await session.change((range) => proven({ ...range, pageSize }, found))
  return { kind: 'proven', found, count }
}

const notProven: Readonly<Record<Scope, string>> = {
  entity: 'No complete snapshot',
  partition: 'A range could not be proven complete',
  window: 'The window could not be proven complete',
}

async function giveUpAttempt(
  { log, now }: RangeContext,
  session: RangeSession,
  end: Omit<AttemptEnd, 'now'> & { readonly reason: string; readonly outcome?: OutcomeName },
): Promise<AttemptStop> {
  const { attempt } = session.range
  const { reason, outcome } = end
  log('WARN', 'attempt given up', { ...session.attempt, reason })
  if (attempt >= maxAttempts) {
    const what = `${notProven[session.scope]} after ${attempt} attempts.`
    return { kind: 'unproven', reason: `${what} ${reason}`, cause: outcome && causeOf(outcome) }
  }
  await session.change((range) => nextAttempt(range, { ...end, now: now() }))
  return 'next-attempt'
}
