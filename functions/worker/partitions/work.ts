import { planRanges } from '../../partitions/plan.ts'
import { startPosition } from '../../state/pages/page.ts'
import { type PlannedRanges, plannedRanges } from '../../state/run/partitions.ts'
import { running, waiting, withPartitions } from '../../state/run/run-changes.ts'
import { workOnAttempts } from '../attempt.ts'
import type { AttemptContext } from '../context.ts'
import { runningResponse, type StepResponse } from '../response.ts'
import { failRun, skipRun } from '../run/end.ts'
import type { ClaimedSession } from '../run/open.ts'
import type { RunSession } from '../run/session.ts'
import { handOffWaiting } from '../run/wait.ts'
import { proveCoverage } from './prove-coverage.ts'
import { rangeSession, scrollRange } from './range.ts'
import { runRanges } from './run-ranges.ts'
import { createSearch } from './search-io.ts'

/** Works on a run until it ends, has to wait, or the time is up: in ranges if its entity is partitioned. */
export async function workOnRun(context: AttemptContext, opened: ClaimedSession): Promise<StepResponse> {
  const { session } = opened
  if (session.run.partitions.kind === 'unplanned') await plan(context, opened)
  const { partitions } = session.run
  return partitions.kind === 'ranges'
    ? scrollRanges(context, opened, partitions)
    : workOnAttempts(context, opened)
}

/** Plans the ranges of a run before any of them is opened. */
async function plan(context: AttemptContext, { session, publishedRunId }: ClaimedSession): Promise<void> {
  const { snapshots, log, now } = context
  const { name, partitions } = session.entity
  if (!partitions) return
  const { by, count } = partitions
  const before = publishedRunId ? await snapshots.readManifest(name, publishedRunId) : undefined
  const last = before?.partitionedBy
  const known = last?.by === by && last.count === count ? last.boundaries : undefined
  const planned = await planRanges(partitions, known, createSearch(context, session, by))
  if (planned.kind === 'whole') return fallBack(context, session, planned.reason)
  const { runId, plan } = session.run
  const { totalBefore, totals } = planned
  log('INFO', 'ranges planned', { entity: name, runId, totalBefore, totals })
  const ranges = plannedRanges({ by, count, ...planned }, plan.pageSize)
  await session.change((run) => withPartitions(run, ranges, now()))
}

async function scrollRanges(
  context: AttemptContext,
  opened: ClaimedSession,
  { ranges }: PlannedRanges,
): Promise<StepResponse> {
  const { session } = opened
  const { now, sleep } = context
  const open = ranges.flatMap(({ state }, index) => (state === 'open' ? [index] : []))
  const stop = await runRanges(open, {
    now,
    sleep,
    takeSlot: (range) => session.takeScrollSlot(range),
    releaseSlot: (range) => session.releaseScrollSlot(range),
    scroll: (index, stopRequested) =>
      scrollRange(context, rangeSession(context, session, { index, stopRequested })),
  })
  switch (stop.kind) {
    case 'proven': {
      const coverage = await proveCoverage(context, session)
      return coverage.kind === 'covered' ? coverage.response : scrollWhole(context, opened, coverage.reason)
    }
    case 'interrupted':
      await session.handOff(running(session.run, now()), 0)
      return runningResponse(session.run)
    case 'wait':
      return wait(context, session, stop)
    case 'unproven':
      return scrollWhole(context, opened, `A range could not be proven complete. ${stop.reason}`)
    case 'failed':
      return failRun(context, session, stop.reason)
    case 'skipped':
      return skipRun(context, session, stop.reason)
  }
}

async function wait(
  context: AttemptContext,
  session: RunSession,
  { waitMs, reason }: { waitMs: number; reason: string },
): Promise<StepResponse> {
  const { now, state } = context
  // This run has no scroll open now, so runs that have one take no further slot.
  await state.waitForScrollSlot(session.run.runId, now() + 2 * waitMs)
  const run = waiting(session.run, reason, now())
  return handOffWaiting(context, session, { run, reason, waitMs })
}

/** Scrolls the whole entity from its first page, since its ranges prove nothing. */
async function scrollWhole(
  context: AttemptContext,
  opened: ClaimedSession,
  reason: string,
): Promise<StepResponse> {
  const { session } = opened
  await fallBack(context, session, reason)
  return workOnAttempts(context, { ...opened, position: startPosition(session.run.plan.pageSize) })
}

async function fallBack({ log, now }: AttemptContext, session: RunSession, reason: string): Promise<void> {
  const { entity, runId } = session.run
  log('WARN', 'scrolling without partitions', { entity, runId, reason })
  await session.change((run) => withPartitions(run, { kind: 'fallback', reason }, now()))
}
