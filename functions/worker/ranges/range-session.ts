import { withFilter } from '../../../stored/partitions/ranges.ts'
import { attemptOf } from '../../../stored/run/attempts.ts'
import type { OpenRange, RangeState } from '../../../stored/run/range.ts'
import {
  openRangeAt,
  withApproximateCoverage,
  withOpening,
  withRange,
} from '../../../stored/run/run-changes.ts'
import type { AttemptContext } from '../context.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import { awaitCheck } from '../publish/ask-publisher.ts'
import type { RangeSession } from '../scroll-range.ts'
import { compareOpening } from './opening.ts'
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
