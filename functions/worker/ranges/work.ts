import { planRanges } from '../../../stored/partitions/plan.ts'
import { rangesOf } from '../../../stored/run/ranges-of-split.ts'
import { type ActiveFullRun, smallestPageSize } from '../../../stored/run/run.ts'
import { publishing, running, skipped, waiting, withSplit } from '../../../stored/run/run-changes.ts'
import { fallback, plannedRanges, type Split } from '../../../stored/run/split.ts'
import type { AttemptContext } from '../context.ts'
import { endUnpublished, handOff, publishAndEnd } from '../lifecycle/end.ts'
import type { ClaimedSession } from '../lifecycle/open.ts'
import type { ScrollingSession } from '../lifecycle/session.ts'
import { waitForScrollSlot } from '../lifecycle/slot-wait.ts'
import { type NotYet, requestCheck } from '../publish/publish.ts'
import { type StepResponse, waitingResponse } from '../response.ts'
import { scrollRange } from '../scroll-range.ts'
import { createSearch, rangeSession } from './range-session.ts'
import { runRanges } from './run-ranges.ts'

/** A run that scrolls, as its worker opened it. */
interface ScrollingRun extends Pick<ClaimedSession, 'publishedRunId'> {
  readonly session: ScrollingSession
}

/** Works on a run until it ends, has to wait, or the time is up. */
export async function workOnRun(context: AttemptContext, opened: ScrollingRun): Promise<StepResponse> {
  const { session } = opened
  if (session.run.split.kind === 'unplanned') await plan(context, opened)
  const stop = await runRanges(idleRanges(session.run), {
    now: context.now,
    sleep: context.sleep,
    takeSlot: (range) => session.takeScrollSlot(range, openRanges(session.run)),
    releaseSlot: (range) => session.releaseScrollSlot(range),
    scroll: (index, group) => scrollRange(context, rangeSession(context, session, { ...group, index })),
  })
  switch (stop.kind) {
    case 'proven':
      return publishProven(context, session)
    case 'no-slot':
      return waitForScrollSlot(context, session)
    case 'interrupted':
      return handOff(session, running(session.run, context.now()))
    case 'wait':
      return waitFor(context, session, stop)
    case 'unproven': {
      if (session.run.split.kind !== 'ranges') return endUnpublished(context, session, stop)
      await fallBack(context, session, stop.reason)
      return workOnRun(context, opened)
    }
    case 'failed':
      return endUnpublished(context, session, stop)
    case 'skipped':
      return endUnpublished(context, session, { ...stop, cause: 'credentials', end: skipped })
  }
}

function idleRanges({ split }: ActiveFullRun) {
  return rangesOf(split).flatMap((range, index) =>
    range.state === 'proven' ? [] : [{ index, readyAt: range.readyAt, isOpen: range.state === 'open' }],
  )
}

const openRanges = (run: ActiveFullRun) =>
  idleRanges(run).flatMap(({ index, isOpen }) => (isOpen ? [index] : []))

/** Plans the ranges of a run before any of them is opened. */
async function plan(context: AttemptContext, { session, publishedRunId }: ScrollingRun): Promise<void> {
  const { snapshots, log, now, sleep } = context
  const { name, partitions } = session.entity
  if (!partitions) throw new Error(`The entity ${name} has no partitions.`)
  const before = publishedRunId ? await snapshots.readManifest(name, publishedRunId) : undefined
  const last = before?.partitionedBy
  if (last?.by === partitions.by && last.overlapping !== undefined) {
    const { by, overlapping } = last
    const documents = overlapping === 1 ? '1 document was' : `${overlapping} documents were`
    const reason = `In the published snapshot ${documents} in two ranges of ${by} that share no boundary, so others may have been in none.`
    return fallBack(context, session, reason)
  }
  const known = last?.by === partitions.by && last.count === partitions.count ? last : undefined
  const search = createSearch(context, session, partitions.by)
  const planned = await planRanges(partitions, known, { search, now, sleep })
  if (planned.kind === 'whole') return fallBack(context, session, planned.reason)
  const { total, coverage, filters } = planned
  const totals = filters.map(({ documents }) => documents)
  log('INFO', 'ranges planned', { entity: name, runId: session.run.runId, total, totals, coverage })
  await split(context, session, plannedRanges(planned, { pageSize: session.run.plan.pageSize, now: now() }))
}

/** Scrolls the whole entity from its first page, since its ranges prove nothing. */
async function fallBack(context: AttemptContext, session: ScrollingSession, reason: string): Promise<void> {
  const { entity, runId, split: before } = session.run
  context.log('WARN', 'scrolling without partitions', { entity, runId, reason })
  const pageSize = smallestPageSize(session.run)
  await split(context, session, fallback(reason, { pageSize, now: context.now() }))
  for (const index of rangesOf(before).keys()) await session.releaseScrollSlot(index)
}

async function split({ now }: AttemptContext, session: ScrollingSession, to: Split): Promise<void> {
  await session.change((run) => withSplit(run, to, now()))
}

/** Publishes a run whose ranges are all proven, if the publisher proves the whole of it. */
async function publishProven(context: AttemptContext, session: ScrollingSession): Promise<StepResponse> {
  const checked = await requestCheck(context, session, session.run)
  switch (checked.kind) {
    case 'proven':
      await session.change((run) => publishing(run, checked.found, context.now()))
      return publishAndEnd(context, session)
    case 'interrupted':
      return handOff(session, running(session.run, context.now()))
    case 'wait':
      return waitFor(context, session, checked)
    case 'failed':
      return endUnpublished(context, session, checked)
  }
}

async function waitFor(
  { log, now }: AttemptContext,
  session: ScrollingSession,
  stop: Extract<NotYet, { kind: 'wait' }>,
): Promise<StepResponse> {
  const run = waiting(session.run, { for: 'platform', ...stop, now: now() })
  const response = waitingResponse(run, stop)
  log('WARN', 'run waiting', { ...response })
  await session.handOff(run, stop.waitMs)
  return response
}
