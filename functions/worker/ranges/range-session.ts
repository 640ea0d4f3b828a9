import { attemptOf } from '../../state/run/attempts.ts'
import { type OpenRange, type RangeState, suspected, withMalformed } from '../../state/run/range.ts'
import type { ActiveFullRun } from '../../state/run/run.ts'
import { openRangeAt, withApproximateCoverage, withOpening, withRange } from '../../state/run/run-changes.ts'
import type { AttemptContext } from '../context.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import type { ScrollSession } from '../scroll/io.ts'
import { compareOpening } from './opening.ts'
import type { RangeInGroup } from './run-ranges.ts'

/** A worker's work on one range of its run. */
export interface RangeSession extends ScrollSession {
  readonly run: ActiveFullRun
  readonly range: OpenRange
  readonly tolerancePercent: number
  /** Called when the scroll is open at the platform. */
  readonly onOpened: () => void
  /** Writes what `change` makes of the range. */
  change(change: (range: OpenRange) => RangeState): Promise<void>
}

export function rangeSession(
  context: AttemptContext,
  session: ScrollingSession,
  { index, stopRequested, onOpened }: RangeInGroup & { readonly index: number },
): RangeSession {
  const { now, invocation } = context
  const { totalTolerancePercent: tolerancePercent } = session.run.plan
  const change = async (change: (range: OpenRange) => RangeState) => {
    await session.change((run) => withRange(run, index, change))
  }
  return {
    change,
    onOpened,
    tolerancePercent,
    get run() {
      return session.run
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
    renew: () => session.renew(),
    countRequest: (receivedBytes) => session.countRequest(receivedBytes),
    countFault: (fault) => session.countFault(fault),
    async isMalformedAgain(signature) {
      if (this.range.malformed?.includes(signature)) return true
      await change((range) => withMalformed(range, signature))
      return false
    },
    async markSuspect() {
      if (!this.range.suspect) await change(suspected)
    },
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
      return { kind: 'agreement', total: decision.total }
    },
  }
}
