import { withFilter } from '../../partitions/ranges.ts'
import { startPosition } from '../../state/pages/page.ts'
import type { RangeState } from '../../state/run/partitions.ts'
import { type RangeChange, withRange } from '../../state/run/run-changes.ts'
import { maxAttempts } from '../attempt-limit.ts'
import type { AttemptContext } from '../context.ts'
import { decideProof } from '../proof/decision.ts'
import type { RunSession } from '../run/session.ts'
import type { ScrollSession } from '../scroll/io.ts'
import type { ScrollEnd } from '../scroll/loop.ts'
import { scrollAttempt } from '../scroll-attempt.ts'
import type { RangeStop } from './run-ranges.ts'

/** One range of the worker's run. */
export interface RangeSession extends ScrollSession {
  readonly session: RunSession
  readonly index: number
  readonly range: RangeState
  change(change: RangeChange): Promise<void>
}

/** Scrolls one range until it is proven or has to stop. */
export async function scrollRange(context: AttemptContext, range: RangeSession): Promise<RangeStop> {
  for (;;) {
    const stop = await scrollOnce(context, range)
    if (stop !== 'next-attempt') return stop
  }
}

type AttemptStop = RangeStop | 'next-attempt'

async function scrollOnce(context: AttemptContext, range: RangeSession): Promise<AttemptStop> {
  const { session, attempt } = range
  const { pageSize: startPageSize, where, retryState } = range.range
  const end = await scrollAttempt(context, range, {
    entity: session.run.entity,
    query: withFilter(session.run.plan.query, where),
    position: (await context.state.lastPosition(attempt)) ?? startPosition(startPageSize),
    retryState,
  })
  if (end.kind !== 'ended') return afterScroll(context, range, end)
  const { uniqueIds, largestPage } = end.count
  const { total, pageSize } = end.position
  const decision = decideProof({
    uniqueIds,
    total,
    largestPage,
    suspect: range.range.suspect,
    tolerancePercent: session.entity.totalTolerancePercent,
    earlierCleanCounts: range.range.cleanCounts,
  })
  if (decision.kind === 'unproven')
    return giveUpAttempt(context, range, { reason: decision.reason, pageSize, counts: [uniqueIds] })
  await range.change((state) => ({ ...state, state: 'proven', pageSize, retryState: undefined }))
  return { kind: 'proven' }
}

async function afterScroll(
  context: AttemptContext,
  range: RangeSession,
  end: Exclude<ScrollEnd, { kind: 'ended' }>,
): Promise<AttemptStop> {
  switch (end.kind) {
    case 'time-is-up':
    case 'wait': {
      const { retryState, pageSize } = end
      await range.change((state) => ({ ...state, retryState, pageSize }))
      if (end.kind === 'time-is-up') return { kind: 'interrupted' }
      const { waitMs, reason } = end
      context.log('WARN', 'range waiting', {
        ...range.attempt,
        reason,
        waitSeconds: Math.ceil(waitMs / 1000),
      })
      return { kind: 'wait', waitMs, reason }
    }
    case 'new-attempt':
      return giveUpAttempt(context, range, { ...end, counts: [] })
    case 'fail':
      return { kind: 'failed', reason: end.reason }
    case 'skip':
      return { kind: 'skipped', reason: end.reason }
  }
}

async function giveUpAttempt(
  { log }: AttemptContext,
  range: RangeSession,
  { reason, pageSize, counts }: { reason: string; pageSize: number; counts: readonly number[] },
): Promise<AttemptStop> {
  const { attempt } = range.attempt
  log('WARN', 'attempt given up', { ...range.attempt, reason })
  if (attempt >= maxAttempts) return { kind: 'unproven', reason }
  // The count of a suspect attempt never vouches for a later one.
  await range.change((state) => ({
    ...state,
    attempt: attempt + 1,
    suspect: false,
    retryState: undefined,
    pageSize,
    cleanCounts: state.suspect ? state.cleanCounts : [...state.cleanCounts, ...counts],
  }))
  return 'next-attempt'
}

/** One range of the run, as the scroll loop uses it. */
export function rangeSession(
  { now, invocation }: AttemptContext,
  session: RunSession,
  { index, stopRequested }: { readonly index: number; readonly stopRequested: () => boolean },
): RangeSession {
  const change = async (change: RangeChange) => {
    await session.change((run) => withRange(run, index, change))
  }
  return {
    session,
    index,
    change,
    get range() {
      const { partitions } = session.run
      const range = partitions.kind === 'ranges' ? partitions.ranges[index] : undefined
      if (!range) throw new Error(`The run has no range ${index}.`)
      return range
    },
    get attempt() {
      const { entity, runId } = session.run
      return { entity, runId, range: index, attempt: this.range.attempt }
    },
    get idField() {
      return session.run.plan.idField
    },
    timeIsUp: () => stopRequested() || now() >= invocation.handOffAt,
    renew: () => session.renew(),
    countRequest: (receivedBytes) => session.countRequest(receivedBytes),
    countFault: (fault) => session.countFault(fault),
    markSuspect: () => change((range) => ({ ...range, suspect: true })),
  }
}
