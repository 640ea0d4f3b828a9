import { withFilter } from '../../partitions/ranges.ts'
import { headerName, platformHeaders } from '../../platform/headers.ts'
import { type EndPosition, startPosition } from '../../state/pages/page.ts'
import { type AttemptEnd, interrupted, nextAttempt, proven, type RangeProof } from '../../state/run/range.ts'
import type { FailureCause } from '../../state/run/run.ts'
import type { AttemptContext } from '../context.ts'
import { repeatDetectorAt } from '../page/repeat-detector.ts'
import { decideProof } from '../proof/decision.ts'
import { AttemptCount, type PageCount } from '../proof/page-count.ts'
import { publishedIds } from '../publish/published-ids.ts'
import { scrollIo } from '../scroll/io.ts'
import { type ScrollEnd, scroll } from '../scroll/loop.ts'
import type { OutcomeName } from '../scroll/outcomes.ts'
import type { RangeSession } from './range-session.ts'
import type { RangeStop } from './run-ranges.ts'

const maxAttempts = 3

/** Scrolls one range until it is proven or has to stop. */
export async function scrollRange(context: AttemptContext, range: RangeSession): Promise<RangeStop> {
  for (;;) {
    const stop = await scrollAttempt(context, range)
    if (stop !== 'next-attempt') return stop
  }
}

type AttemptStop = RangeStop | 'next-attempt'

/** This worker's part of an attempt. */
async function scrollAttempt(context: AttemptContext, session: RangeSession): Promise<AttemptStop> {
  const { settings, state, invocation } = context
  const { run, range } = session
  const { filter, pageSize, retryState } = range
  const isBegun = range.state === 'open'
  const position =
    (isBegun ? await state.lastPosition(session.attempt) : undefined) ?? startPosition(pageSize)
  const pages = () => state.pages(session.attempt)
  if (position.kind !== 'start') session.onOpened()
  using count = new AttemptCount(pages, { isNew: position.kind === 'start' })
  const repeats = await repeatDetectorAt(position, pages)
  const end = await scroll(
    {
      entity: run.entity,
      query: filter ? withFilter(run.plan.query, filter.where) : run.plan.query,
      isRange: filter !== undefined,
      totals: run.plan.totals ?? 'check',
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
  context: AttemptContext,
  session: RangeSession,
  end: Exclude<ScrollEnd, { kind: 'ended' }>,
): Promise<AttemptStop> {
  const { log, now } = context
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
      return giveUpAttempt(context, session, { ...end, uniqueIds: undefined })
    case 'disagreement':
      return { kind: 'unproven', reason: end.reason }
    case 'fail':
      return session.range.filter && filterFailures.has(end.outcome)
        ? { kind: 'unproven', reason: `A range cannot be scrolled. ${end.reason}` }
        : { kind: 'failed', reason: end.reason, cause: failureCauses[end.outcome] }
    case 'skip':
      return { kind: 'skipped', reason: end.reason }
  }
}

const learnedBy = ({ retryState, pageSize }: Extract<ScrollEnd, { kind: 'time-is-up' | 'wait' }>) => ({
  retryState,
  pageSize,
})

/** What more follows from a failure than its reason says: the platform is away, or has rejected the credentials. */
const failureCauses: Partial<Record<OutcomeName, FailureCause>> = {
  'credentials rejected': 'credentials',
  'platform failed': 'platform-away',
  firewall: 'platform-away',
  'request timeout': 'platform-away',
  timeout: 'platform-away',
  interrupted: 'platform-away',
  unreachable: 'platform-away',
}

/** Failures that the filter of a range can cause. The entity may be scrolled without it. */
const filterFailures: ReadonlySet<OutcomeName> = new Set([
  'request refused',
  'firewall',
  'platform failed',
  'request timeout',
  'timeout',
  'runaway',
])

async function prove(
  context: AttemptContext,
  session: RangeSession,
  { end: { position }, count }: { end: ScrollEnd & { kind: 'ended' }; count: PageCount },
): Promise<AttemptStop> {
  const { suspect, cleanCounts } = session.range
  const { uniqueIds, received, largestPage, documents, pages } = count
  const { total, pageSize, openedAt, evidence } = position
  const decision = decideProof({
    uniqueIds,
    total,
    largestPage,
    suspect,
    evidence,
    publishedIds: await comparedIds(context, session, position),
    tolerancePercent: session.tolerancePercent,
    earlierCleanCounts: cleanCounts,
  })
  if (decision.kind === 'unproven') {
    return giveUpAttempt(context, session, { reason: decision.reason, pageSize, uniqueIds })
  }
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
  return { kind: 'proven', count }
}

/** Only an end without a total that the platform refused to confirm is compared with the published snapshot. */
async function comparedIds(
  { snapshots }: AttemptContext,
  { run: { entity } }: RangeSession,
  { total, evidence }: EndPosition,
): Promise<number | undefined> {
  return total === 'not-reported' && evidence === 'refused' ? publishedIds(snapshots, entity) : undefined
}

async function giveUpAttempt(
  { log, now }: AttemptContext,
  session: RangeSession,
  end: Omit<AttemptEnd, 'now'> & { readonly reason: string; readonly outcome?: OutcomeName },
): Promise<AttemptStop> {
  const { attempt } = session.range
  const { reason, outcome } = end
  log('WARN', 'attempt given up', { ...session.attempt, reason })
  if (attempt >= maxAttempts) {
    const what = session.range.filter ? 'A range could not be proven complete' : 'No complete snapshot'
    const cause = outcome && failureCauses[outcome]
    return { kind: 'unproven', reason: `${what} after ${attempt} attempts. ${reason}`, cause }
  }
  await session.change((range) => nextAttempt(range, { ...end, now: now() }))
  return 'next-attempt'
}
