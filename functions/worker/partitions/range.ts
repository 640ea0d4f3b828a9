import { withFilter } from '../../partitions/ranges.ts'
import { headerName, platformHeaders } from '../../platform/headers.ts'
import { startPosition } from '../../state/page.ts'
import type { RangeState } from '../../state/partitions.ts'
import { type RangeChange, withRange } from '../../state/run-changes.ts'
import { maxAttempts } from '../attempt-limit.ts'
import type { Invocation, StepContext } from '../context.ts'
import { repeatDetectorAt } from '../page/repeat-detector.ts'
import { decideProof } from '../proof/decision.ts'
import { countPages, PageCounter } from '../proof/page-count.ts'
import type { RunSession } from '../run/session.ts'
import { type ScrollSession, scrollIo } from '../scroll/io.ts'
import { type ScrollEnd, scroll } from '../scroll/loop.ts'
import type { RangeStop } from './run-ranges.ts'

export interface RangeContext extends StepContext {
  readonly invocation: Invocation
}

/** One range of the worker's run. */
export interface RangeSession extends ScrollSession {
  readonly session: RunSession
  readonly index: number
  readonly range: RangeState
  change(change: RangeChange): Promise<void>
}

/** Scrolls one range until it is proven or has to stop. */
export async function scrollRange(context: RangeContext, range: RangeSession): Promise<RangeStop> {
  for (;;) {
    const stop = await scrollOnce(context, range)
    if (stop !== 'next-attempt') return stop
  }
}

type AttemptStop = RangeStop | 'next-attempt'

async function scrollOnce(context: RangeContext, range: RangeSession): Promise<AttemptStop> {
  const { settings, state, invocation } = context
  const { session, attempt } = range
  const position = (await state.lastPosition(attempt)) ?? startPosition(range.range.pageSize)
  const repeats = await repeatDetectorAt(position, () => state.pages(attempt))
  // A worker that commits all pages of an attempt counts them along. Others read them again.
  using runningCount = position.kind === 'start' ? new PageCounter() : undefined
  const end = await scroll(
    {
      entity: session.run.entity,
      query: withFilter(session.run.plan.query, range.range.where),
      tokenHeader: headerName(platformHeaders.scrollToken, settings.upstream.headerPrefix),
      position,
      retryState: range.range.retryState,
    },
    scrollIo(context, range, { invocation, repeats, runningCount }),
  )
  if (end.kind !== 'ended') return afterScroll(context, range, end)
  const { uniqueIds, largestPage } = runningCount?.result() ?? (await countPages(state.pages(attempt)))
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
    return giveUpAttempt(context, range, { reason: decision.reason, pageSize, uniqueIds })
  await range.change((state) => ({ ...state, state: 'proven', pageSize, retryState: undefined }))
  return { kind: 'proven' }
}

async function afterScroll(
  context: RangeContext,
  range: RangeSession,
  end: Exclude<ScrollEnd, { kind: 'ended' }>,
): Promise<AttemptStop> {
  switch (end.kind) {
    case 'time-is-up':
    case 'wait': {
      const { retryState, pageSize } = end
      await range.change((state) => ({ ...state, retryState, pageSize }))
      if (end.kind === 'time-is-up') return { kind: 'interrupted' }
      return { kind: 'wait', waitMs: end.waitMs, reason: end.reason }
    }
    case 'new-attempt':
      return giveUpAttempt(context, range, { ...end, uniqueIds: undefined })
    case 'fail':
      return { kind: 'failed', reason: end.reason }
    case 'skip':
      return { kind: 'skipped', reason: end.reason }
  }
}

async function giveUpAttempt(
  { log }: RangeContext,
  range: RangeSession,
  { reason, pageSize, uniqueIds }: { reason: string; pageSize: number; uniqueIds: number | undefined },
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
    cleanCounts:
      state.suspect || uniqueIds === undefined ? state.cleanCounts : [...state.cleanCounts, uniqueIds],
  }))
  return 'next-attempt'
}

/** One range of the run, as the scroll loop uses it. */
export function rangeSession(
  { now, invocation }: RangeContext,
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
    async markSuspect() {
      if (!this.range.suspect) await change((range) => ({ ...range, suspect: true }))
    },
  }
}
