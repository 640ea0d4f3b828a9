import { type EndPosition, startPosition } from '../../stored/pages/page.ts'
import { type AttemptEnd, interrupted, nextAttempt, proven, type RangeProof } from '../../stored/run/range.ts'
import type { FailureCause, ScrollPlan } from '../../stored/run/run.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import { headerName, platformHeaders } from '../platform/headers.ts'
import { sentence } from '../runtime/format.ts'
import { pick } from '../runtime/pick.ts'
import type { TotalsRule } from '../runtime/settings.ts'
import type { Exchange } from '../upstream/recorded-exchange.ts'
import type { AttemptContext } from './context.ts'
import { ReceivedIds } from './page/received-ids.ts'
import { repeatDetectorAt } from './page/repeat-detector.ts'
import { ExchangeRecord } from './scroll/exchange-record.ts'
import { committedIds, type ScrollContext, type ScrollSession, scrollIo } from './scroll/io.ts'
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
  prove(end: EndPosition): Promise<AttemptProof>
}

/** What is known of an attempt whose scroll has ended. */
export type AttemptProof =
  | { readonly kind: 'proven'; readonly found: RangeProof }
  /** Another attempt may be complete. `uniqueIds`: of one that vouches for a later one that finds as many. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly uniqueIds: number | undefined }
  | Extract<RangeStop, { kind: 'failed' | 'interrupted' | 'wait' }>

export type Scope = 'entity' | 'partition' | 'window'

/** What the engine uses of the worker's context. The pages of a window are in memory. */
export type RangeContext = Pick<AttemptContext, 'settings' | 'invocation'> &
  ScrollContext & { readonly state: Pick<StateStore, 'lastPosition'> }

/** How a range's scroll stopped. */
export type RangeStop =
  | { readonly kind: 'proven'; readonly found: RangeProof }
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
  if (position.kind !== 'start') session.onOpened()
  const { pendingExchanges = [] } = isBegun ? range : {}
  const record = new ExchangeRecord(pendingExchanges, {
    now: context.now,
    redact: (text) => context.upstream.redact(text),
  })
  using ids = new ReceivedIds({ hasAll: position.kind === 'start' })
  const repeats = await repeatDetectorAt(position, () => committedIds(context, session))
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
    scrollIo(context, session, { invocation, repeats, ids, record }),
  )
  if (end.kind === 'ended' && !session.timeIsUp()) return prove(context, session, end.position)
  const stopped =
    end.kind === 'ended'
      ? ({ kind: 'time-is-up', pageSize: end.position.pageSize, retryState: undefined } as const)
      : end
  return afterScroll(context, session, { ...stopped, pendingExchanges: record.pending })
}

type StoppedScroll = Exclude<ScrollEnd, { kind: 'ended' }> & {
  /** Requests since the last committed item. */
  readonly pendingExchanges: readonly Exchange[]
}

/** What follows when a scroll stops before its end. */
async function afterScroll(
  context: RangeContext,
  session: RangeSession,
  end: StoppedScroll,
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
        ? { kind: 'failed', reason: end.reason, cause: end.cause }
        : giveUpAttempt(context, session, { ...end, uniqueIds: undefined })
    case 'disagreement':
      return { kind: 'unproven', reason: end.reason }
    case 'fail':
      return scope === 'partition' && filterFailures.has(end.outcome)
        ? { kind: 'unproven', reason: `A range cannot be scrolled. ${end.reason}` }
        : { kind: 'failed', reason: end.reason, cause: end.cause }
    case 'skip':
      return { kind: 'skipped', reason: end.reason }
  }
}

const learnedBy = (end: Extract<StoppedScroll, { kind: 'time-is-up' | 'wait' }>) =>
  pick(end, 'retryState', 'pageSize', 'pendingExchanges')

/** Failures that the filter of a partition can cause. The entity may be scrolled without it. */
const filterFailures: ReadonlySet<OutcomeName> = new Set([
  'request refused',
  'firewall',
  'platform failed',
  'request timeout',
  'timeout',
  'runaway',
])

async function prove(context: RangeContext, session: RangeSession, end: EndPosition): Promise<AttemptStop> {
  const { pageSize } = end
  const proof = await session.prove(end)
  if (proof.kind === 'unproven') {
    const { doubt } = session.range
    const reason = doubt === undefined ? proof.reason : `${proof.reason} ${sentence(doubt)}`
    return giveUpAttempt(context, session, { ...proof, reason, pageSize })
  }
  if (proof.kind === 'proven') await session.change((range) => proven({ ...range, pageSize }, proof.found))
  return proof
}

const notProven: Readonly<Record<Scope, string>> = {
  entity: 'No complete snapshot',
  partition: 'A range could not be proven complete',
  window: 'The window could not be proven complete',
}

async function giveUpAttempt(
  { log, now }: RangeContext,
  session: RangeSession,
  end: Omit<AttemptEnd, 'now'> & { readonly reason: string; readonly cause?: FailureCause | undefined },
): Promise<AttemptStop> {
  const { attempt } = session.range
  const { reason, cause } = end
  log('WARN', 'attempt given up', { ...session.attempt, reason })
  if (attempt >= maxAttempts) {
    const what = `${notProven[session.scope]} after ${attempt} attempts.`
    return { kind: 'unproven', reason: `${what} ${reason}`, cause }
  }
  await session.change((range) => nextAttempt(range, { ...end, now: now() }))
  return 'next-attempt'
}
