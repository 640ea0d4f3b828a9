import { type Cursor, openingCursor, type Position } from '../../state/pages/page.ts'
import type { RetryState } from '../../state/run/retry-state.ts'
import type { ScrollPlan } from '../../state/run/run.ts'
import { BackgroundPages } from './background.ts'
import { decisionOf, messageOf, type RequestKind } from './decision.ts'
import type { ScrollIo } from './io.ts'
import { type FinalAction, outcomes } from './outcomes.ts'
import { cursorAfter } from './request.ts'
import { readScrollFailure, type ScrollFailure } from './response.ts'
import { decideRetry, sentence } from './retry-policy.ts'
import { runawayReason } from './runaway.ts'
import { sendScrollRequest } from './send.ts'
import { tokenExpiresAt } from './token-life.ts'

export interface ScrollStart {
  readonly entity: string
  readonly query: ScrollPlan['query']
  /** Name of the response header with the token, in lower case. */
  readonly tokenHeader: string
  readonly position: Position
  readonly retryState: RetryState | undefined
}

export type ScrollEnd =
  | { readonly kind: 'ended'; readonly position: Position }
  /** This worker must hand off. */
  | { readonly kind: 'time-is-up'; readonly retryState: RetryState | undefined; readonly pageSize: number }
  /** The wait is longer than this worker should sleep. */
  | {
      readonly kind: 'wait'
      readonly waitMs: number
      readonly reason: string
      readonly retryState: RetryState
      readonly pageSize: number
    }
  | { readonly kind: 'new-attempt'; readonly reason: string; readonly pageSize: number }
  | { readonly kind: 'fail' | 'skip'; readonly reason: string }

/** For a longer wait than this the worker hands off. */
const maxSleepMs = 10_000

/** A scroll in progress. */
interface Scroll extends Omit<ScrollStart, 'position'> {
  committed: Position
  cursor: Cursor
  retryState: RetryState | undefined
  readonly background: BackgroundPages
  /** True after an end before the reported total: the same request is sent once more. */
  doubtsEnd: boolean
}

/**
 * Scrolls from a position to the end, or until the worker has to do something else. The next page is requested as soon
 * as the one before has arrived, while that one is prepared and stored: at most two pages are in memory.
 */
export async function scroll({ position, ...start }: ScrollStart, io: ScrollIo): Promise<ScrollEnd> {
  const current: Scroll = {
    ...start,
    committed: position,
    cursor: position,
    // A crashed worker may have left the failures before a page that it committed.
    retryState: position.answeredAt > (start.retryState?.since ?? 0) ? undefined : start.retryState,
    background: new BackgroundPages(io),
    doubtsEnd: false,
  }
  try {
    // The worker before crashed between a page without a token and the end mark. Another first request would open
    // another scroll, whose pages belong to another attempt.
    if (position.kind === 'page' && position.token === undefined) await endWithoutToken(current, io)
    for (;;) {
      if (current.committed.kind === 'end') return { kind: 'ended', position: current.committed }
      const stopped = (await stopBeforeRequest(current, io)) ?? (await nextPage(current, io))
      if (stopped) return stopped
    }
  } finally {
    await current.background.finish()
  }
}

async function stopBeforeRequest(current: Scroll, io: ScrollIo): Promise<ScrollEnd | undefined> {
  const hasExpired = io.now() > tokenExpiresAt(current.cursor)
  if (!hasExpired && !io.timeIsUp()) return undefined
  const lost = await settle(current, 'later')
  if (lost) await io.markSuspect(lost.detail)
  if (!hasExpired) return timeIsUp(current)
  if (current.doubtsEnd) return commitEnd(current, io)
  return stop(current, outcomes['expired token'].later.action, messageOf('expired token'))
}

/** Requests the next page, waits until the one before is committed, and begins to store the new one. */
async function nextPage(current: Scroll, io: ScrollIo): Promise<ScrollEnd | undefined> {
  const response = await sendScrollRequest(current, io)
  const answeredAt = io.now()
  if (response.kind === 'page') current.background.prepare(response.answer.body)

  const lost = await settle(current, 'later')
  const stopped = lost && (await recover(current, lost, io))
  if (stopped) return stopped
  switch (response.kind) {
    case 'failure':
      return response.decision.cursor === 'dead' && current.doubtsEnd
        ? commitEnd(current, io)
        : recover(current, response, io)
    case 'end':
      return acceptEnd(current, io, cursorAfter(current.cursor, response.answer, { ...current, answeredAt }))
    case 'page': {
      const cause = runawayReason(current.committed)
      if (cause !== undefined)
        return stop(current, outcomes.runaway.later.action, messageOf('runaway', { cause }))
      if (current.doubtsEnd) await io.markSuspect('the platform ended the scroll and then continued it')
      current.doubtsEnd = false
      current.cursor = cursorAfter(current.cursor, response.answer, { ...current, answeredAt })
      current.background.store(current.cursor, current.committed)
      return current.cursor.token === undefined ? endWithoutToken(current, io) : undefined
    }
  }
}

/**
 * An end before the reported total counts only if the same request returns an end once more. Ids decide, since repeated
 * documents can make up for missing ones.
 */
async function acceptEnd(current: Scroll, io: ScrollIo, cursor: Cursor): Promise<ScrollEnd | undefined> {
  const { total } = cursor
  if (!current.doubtsEnd && typeof total === 'number' && (await io.uniqueIds()) < total) {
    current.doubtsEnd = true
    return undefined
  }
  current.cursor = cursor
  return commitEnd(current, io)
}

/** Without a token no other page can be requested. The count decides whether this was the last page. */
async function endWithoutToken(current: Scroll, io: ScrollIo): Promise<ScrollEnd | undefined> {
  const lost = await settle(current, 'first')
  if (lost) return recover(current, lost, io)
  const isComplete = current.committed.documentsSoFar === current.cursor.total
  if (!isComplete && decisionOf('no token', 'first').cursor === 'unknown') {
    await io.markSuspect(messageOf('no token'))
  }
  return commitEnd(current, io)
}

async function commitEnd(current: Scroll, io: ScrollIo): Promise<ScrollEnd> {
  current.committed = await io.storeEnd(current.cursor, current.committed)
  return { kind: 'ended', position: current.committed }
}

/** Waits until the page before is committed. One that proves malformed is a page that was lost. */
async function settle(current: Scroll, request: RequestKind): Promise<ScrollFailure | undefined> {
  try {
    const committed = await current.background.stored()
    if (!committed) return undefined
    current.committed = committed
    current.retryState = undefined
    return undefined
  } catch (error) {
    return readScrollFailure(error, request)
  }
}

/** Decides what follows a failure: an end, or undefined to continue. */
async function recover(
  current: Scroll,
  failure: ScrollFailure,
  io: ScrollIo,
): Promise<ScrollEnd | undefined> {
  if (failure.decision.cursor === 'unknown') await io.markSuspect(failure.detail)
  const next = decideRetry(failure, current, { now: io.now(), random: () => io.random() })
  if (next.action !== 'retry') return stop(current, next.action, next.reason)
  const { waitMs, retryState, pageSize } = next
  current.retryState = retryState
  const { cursor } = current
  current.cursor = cursor.token === undefined ? openingCursor(pageSize) : { ...cursor, pageSize }
  if (waitMs > maxSleepMs)
    return { kind: 'wait', waitMs, reason: sentence(failure.detail), retryState, pageSize }
  await io.sleep(waitMs)
  return undefined
}

function timeIsUp({ retryState, cursor: { pageSize } }: Scroll): ScrollEnd {
  return { kind: 'time-is-up', retryState, pageSize }
}

function stop({ cursor: { pageSize } }: Scroll, kind: FinalAction, detail: string): ScrollEnd {
  const reason = sentence(detail)
  return kind === 'new-attempt' ? { kind, reason, pageSize } : { kind, reason }
}
