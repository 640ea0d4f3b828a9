import { type Position, startPosition } from '../state/pages/page.ts'
import {
  nextAttempt,
  publishing,
  running,
  waiting,
  withPageSize,
  withRetryState,
} from '../state/run/run-changes.ts'
import { maxAttempts } from './attempt-limit.ts'
import type { AttemptContext } from './context.ts'
import { decideProof } from './proof/decision.ts'
import type { PageCount } from './proof/page-count.ts'
import { resultOf } from './proof/result.ts'
import { publish } from './publish/publish.ts'
import { runningResponse, type StepResponse } from './response.ts'
import { endRun, failRun, skipRun } from './run/end.ts'
import type { ClaimedSession } from './run/open.ts'
import type { RunSession } from './run/session.ts'
import { waitForScrollSlot } from './run/slot-wait.ts'
import { handOffWaiting } from './run/wait.ts'
import type { ScrollSession } from './scroll/io.ts'
import type { ScrollEnd } from './scroll/loop.ts'
import { scrollAttempt } from './scroll-attempt.ts'

/** How this worker's part of an attempt ends. */
type AttemptEnd =
  | { readonly kind: 'answered'; readonly response: StepResponse }
  /** Scroll again from the first page. */
  | { readonly kind: 'next-attempt'; readonly position: Position }

/** Scrolls until an attempt proves complete, the run ends or the worker hands off. */
export async function workOnAttempts(
  context: AttemptContext,
  { session, position: start }: ClaimedSession,
): Promise<StepResponse> {
  if (!(await session.takeScrollSlot(0))) return waitForScrollSlot(context, session)
  let position = start
  for (;;) {
    const end = await workOnAttempt(context, session, position)
    if (end.kind === 'answered') return end.response
    position = end.position
  }
}

async function workOnAttempt(
  context: AttemptContext,
  session: RunSession,
  position: Position,
): Promise<AttemptEnd> {
  const { run } = session
  const end = await scrollAttempt(context, scrollSession(context, session), {
    entity: run.entity,
    query: run.plan.query,
    position,
    retryState: run.retryState,
  })
  return end.kind === 'ended' ? prove(context, session, end) : afterScroll(context, session, end)
}

/** The scroll of an entity without partitions. */
function scrollSession({ now, invocation }: AttemptContext, session: RunSession): ScrollSession {
  const { entity, runId, attempt, plan } = session.run
  return {
    attempt: { entity, runId, attempt },
    idField: plan.idField,
    timeIsUp: () => now() >= invocation.handOffAt,
    renew: () => session.renew(),
    countRequest: (receivedBytes) => session.countRequest(receivedBytes),
    countFault: (fault) => session.countFault(fault),
    markSuspect: () => session.markSuspect(),
  }
}

/** What follows when a scroll stops before its end. */
async function afterScroll(
  context: AttemptContext,
  session: RunSession,
  end: Exclude<ScrollEnd, { kind: 'ended' }>,
): Promise<AttemptEnd> {
  switch (end.kind) {
    case 'time-is-up':
      return handOff(context, session, end)
    case 'wait':
      return wait(context, session, end)
    case 'new-attempt':
      return giveUpAttempt(context, session, { ...end, uniqueIds: undefined })
    case 'fail':
      return answered(await failRun(context, session, end.reason))
    case 'skip':
      return answered(await skipRun(context, session, end.reason))
  }
}

async function handOff(
  { now }: AttemptContext,
  session: RunSession,
  { pageSize, retryState }: Pick<ScrollEnd & { kind: 'time-is-up' }, 'pageSize' | 'retryState'>,
): Promise<AttemptEnd> {
  const run = withRetryState(running(session.run, now()), { retryState, pageSize })
  await session.handOff(run, 0)
  return answered(runningResponse(run))
}

async function wait(
  context: AttemptContext,
  session: RunSession,
  { waitMs, reason, retryState, pageSize }: ScrollEnd & { kind: 'wait' },
): Promise<AttemptEnd> {
  const run = withRetryState(waiting(session.run, reason, context.now()), { retryState, pageSize })
  return answered(await handOffWaiting(context, session, { run, reason, waitMs }))
}

/** Publishes an attempt whose count proves it complete. Otherwise a new attempt begins. */
async function prove(
  context: AttemptContext,
  session: RunSession,
  { count, position }: { count: PageCount; position: Position },
): Promise<AttemptEnd> {
  const { run, entity } = session
  const { uniqueIds, largestPage } = count
  const decision = decideProof({
    uniqueIds,
    total: position.total,
    largestPage,
    suspect: run.suspect,
    tolerancePercent: entity.totalTolerancePercent,
    earlierCleanCounts: run.cleanCounts,
  })
  const { pageSize } = position
  if (decision.kind === 'unproven') {
    return giveUpAttempt(context, session, { reason: decision.reason, pageSize, uniqueIds })
  }
  const now = context.now()
  const result = resultOf(run, { proof: decision.proof, count, position, partitions: undefined, now })
  const proven = await session.save(publishing(withPageSize(run, pageSize), result, now))
  await session.renew()
  return answered(await endRun(context, session, await publish(context, proven, { entity, count })))
}

async function giveUpAttempt(
  context: AttemptContext,
  session: RunSession,
  { reason, pageSize, uniqueIds }: { reason: string; pageSize: number; uniqueIds: number | undefined },
): Promise<AttemptEnd> {
  const { entity, runId, attempt } = session.run
  context.log('WARN', 'attempt given up', { entity, runId, attempt, reason })
  if (attempt >= maxAttempts) {
    const failure = `No complete snapshot after ${attempt} attempts. ${reason}`
    return answered(await failRun(context, session, failure))
  }
  await session.save(nextAttempt(session.run, { pageSize, uniqueIds, now: context.now() }))
  return { kind: 'next-attempt', position: startPosition(pageSize) }
}

function answered(response: StepResponse): AttemptEnd {
  return { kind: 'answered', response }
}
