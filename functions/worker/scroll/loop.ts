import type { Cursor, EndEvidence, EndPosition, Position, ReportedTotal } from '../../../stored/pages/page.ts'
import { openingCursor } from '../../../stored/pages/page.ts'
import type { FailureCause, ScrollPlan } from '../../../stored/run/run.ts'
import { sentence } from '../../runtime/format.ts'
import type { TotalsRule } from '../../runtime/settings.ts'
import type { RetryState } from '../../upstream/retry.ts'
import { BackgroundPages } from './background.ts'
import { decideEnd, type EndConfirmation, requestEndAgain } from './confirm-end.ts'
import { causeOf, decisionOf, evidenceAtTotal, messageOf, type RequestKind } from './decision.ts'
import type { OpeningResult, ScrollIo } from './io.ts'
import { type FinalAction, type OutcomeName, outcomes } from './outcomes.ts'
import { readScrollFailure, type ScrollFailure } from './response.ts'
import { decideRetry, tokenExpiresAt } from './retry-policy.ts'
import { runawayReason } from './runaway.ts'
import { cursorAfter, sendScrollRequest } from './send.ts'

export interface ScrollStart {
  readonly entity: string
  readonly query: ScrollPlan['query']
  /** True for a range of a partitioned entity, whose filter may be wrong. An empty first page is requested twice. */
  readonly isRange: boolean
  readonly totals: TotalsRule
  /** Name of the response header with the token, in lower case. */
  readonly tokenHeader: string
  readonly position: Position
  readonly retryState: RetryState | undefined
}

export type ScrollEnd =
  | { readonly kind: 'ended'; readonly position: EndPosition }
  /** This worker must hand off. */
  | { readonly kind: 'time-is-up'; readonly retryState: RetryState | undefined; readonly pageSize: number }
  /** The wait is longer than this worker should sleep. */
  | {
      readonly kind: 'wait'
      readonly waitMs: number
      readonly reason: string
      readonly retryState: RetryState | undefined
      readonly pageSize: number
    }
  | {
      readonly kind: FinalAction
      readonly reason: string
      readonly outcome: OutcomeName
      readonly cause: FailureCause | undefined
      readonly pageSize: number
    }
  /** Scroll and search do not agree about what the range contains. */
  | { readonly kind: 'disagreement'; readonly reason: string }

/** For a longer wait than this the worker hands off. */
const maxSleepMs = 10_000

interface Scroll extends Omit<ScrollStart, 'position'> {
  committed: Position
  cursor: Cursor
  retryState: RetryState | undefined
  readonly background: BackgroundPages
}

/**
 * Scrolls from a position to the end, or until the worker has to do something else. As soon as a page has arrived, the
 * next one is requested, and the first one is prepared and stored during that request: at most two pages are in memory.
 */
export async function scroll({ position, ...start }: ScrollStart, io: ScrollIo): Promise<ScrollEnd> {
  const current: Scroll = {
    ...start,
    committed: position,
    cursor: position,
    // A crashed worker may have left the failures before a page that it committed.
    retryState: position.respondedAt > (start.retryState?.since ?? 0) ? undefined : start.retryState,
    background: new BackgroundPages(io),
  }
  try {
    // The previous worker crashed between a page without a token and the end mark. Another first request would open
    // another scroll, whose pages belong to another attempt.
    if (position.kind === 'page' && position.token === undefined) await endWithoutToken(current, io)
    for (;;) {
      const { committed } = current
      if (committed.kind === 'end') return { kind: 'ended', position: committed }
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
  const outcome = 'expired token'
  return stop(current, outcomes[outcome].later.action, { outcome, detail: messageOf(outcome) })
}

/** Requests the next page, waits until the previous one is committed, and begins to store the new one. */
async function nextPage(current: Scroll, io: ScrollIo): Promise<ScrollEnd | undefined> {
  if (current.cursor.token === undefined) await io.beforeOpening()
  const response = await sendScrollRequest(current, io)
  const respondedAt = io.now()
  if (response.kind === 'page') current.background.prepare(response.response.body)

  const lost = await settle(current, 'later')
  const stopped = lost && (await recover(current, lost, io))
  if (stopped) return stopped
  if (response.kind === 'failure')
    return (await endByFailure(current, response, io)) ?? recover(current, response, io)
  const cursor = cursorAfter(current.cursor, response.response, { ...current, respondedAt })
  return response.kind === 'end' ? acceptEnd(current, io, cursor) : acceptPage(current, io, cursor)
}

async function acceptPage(current: Scroll, io: ScrollIo, cursor: Cursor): Promise<ScrollEnd | undefined> {
  const cause = runawayReason(current.committed)
  if (cause !== undefined) {
    const outcome = 'runaway'
    return stop(current, outcomes[outcome].later.action, { outcome, detail: messageOf(outcome, { cause }) })
  }
  const opening = await checkOpening(current, io, cursor.total)
  if (opening.kind !== 'agreement') return stopAtOpening(current, opening)
  current.cursor = { ...cursor, total: opening.total }
  current.background.store(current.cursor, current.committed)
  return current.cursor.token === undefined ? endWithoutToken(current, io) : undefined
}

/** Commits the end of the scroll, or continues if the platform sends documents when it is asked once more. */
async function acceptEnd(current: Scroll, io: ScrollIo, cursor: Cursor): Promise<ScrollEnd | undefined> {
  const opening = await checkOpening(current, io, cursor.total)
  if (opening.kind !== 'agreement') return stopAtOpening(current, opening)
  const { total } = opening
  const isEmptyRange = current.isRange && current.committed.kind === 'start' && cursor.token === undefined
  const decision = decideEnd('end', { total, ...receivedSoFar(current, io), isEmptyRange })
  const confirmation: EndConfirmation =
    decision === 'confirmed' ? { kind: decision } : await requestEndAgain({ ...current, isEmptyRange }, io)
  switch (confirmation.kind) {
    case 'time-is-up':
      return timeIsUp(current)
    case 'continued': {
      if (current.cursor.token === undefined) await io.beforeOpening()
      await io.markSuspect('the platform ended the scroll and then continued it')
      const response = { ...current, respondedAt: io.now() }
      return acceptPage(current, io, cursorAfter(current.cursor, confirmation.result, response))
    }
    case 'throttled':
      return recover(current, confirmation.failure, io)
    case 'confirmed':
    case 'refused':
    case 'unconfirmed':
      current.cursor = { ...cursor, total }
      return commitEnd(current, io, confirmation.kind)
  }
}

/** Commits the end of a scroll that has all documents, if the response is one of the forms in which it may end then. */
async function endByFailure(
  current: Scroll,
  { outcome }: ScrollFailure,
  io: ScrollIo,
): Promise<ScrollEnd | undefined> {
  if (!evidenceAtTotal(outcome)) return undefined
  // Without a page there is no total either.
  const { total } = current.cursor
  const decision = decideEnd(outcome, { total, ...receivedSoFar(current, io), isEmptyRange: false })
  return decision === 'confirmed' || decision === 'refused' ? commitEnd(current, io, decision) : undefined
}

const receivedSoFar = ({ committed }: Scroll, io: ScrollIo) => ({
  documents: committed.documentsSoFar,
  uniqueIds: io.uniqueIds(),
})

/** The first response of a scroll reports how many documents to expect. */
async function checkOpening(current: Scroll, io: ScrollIo, total: ReportedTotal) {
  const isOpening = current.cursor.openedAt === openingCursor(0).openedAt
  return isOpening ? io.checkOpening(total) : { kind: 'agreement' as const, total }
}

/** The first page is not stored. After a wait the scroll is opened again. */
function stopAtOpening(
  { retryState, cursor: { pageSize } }: Scroll,
  opening: Exclude<OpeningResult, { kind: 'agreement' }>,
): ScrollEnd {
  return opening.kind === 'wait' ? { ...opening, retryState, pageSize } : opening
}

/** Without a token no other page can be requested. The count decides whether this was the last page. */
async function endWithoutToken(current: Scroll, io: ScrollIo): Promise<ScrollEnd | undefined> {
  const lost = await settle(current, 'first')
  if (lost) return recover(current, lost, io)
  const isComplete = current.committed.documentsSoFar === current.cursor.total
  if (!isComplete && decisionOf('no token', 'first').cursor === 'unknown')
    await io.markSuspect(messageOf('no token'))
  return commitEnd(current, io, 'confirmed')
}

async function commitEnd(current: Scroll, io: ScrollIo, evidence: EndEvidence): Promise<ScrollEnd> {
  const position = await io.storeEnd(current.cursor, current.committed, evidence)
  current.committed = position
  return { kind: 'ended', position }
}

/** Waits until the previous page is committed. One that proves malformed is a page that was lost. */
async function settle(current: Scroll, request: RequestKind): Promise<ScrollFailure | undefined> {
  try {
    const committed = await current.background.stored()
    if (!committed) return undefined
    current.committed = committed
    current.retryState = undefined
    return undefined
  } catch (error) {
    const failure = readScrollFailure(error, request)
    if (failure.outcome !== 'malformed page') return failure
    const { detail } = failure
    const cause = detail.charAt(0).toLowerCase() + detail.slice(1)
    return { ...failure, detail: `page ${current.committed.page + 1} of the scroll: ${cause}` }
  }
}

const malformedAdvice = 'the same again: correct the document on the platform, or exclude it with _where'

/** Decides what follows a failure: an end, or undefined to continue. */
async function recover(
  current: Scroll,
  failure: ScrollFailure,
  io: ScrollIo,
): Promise<ScrollEnd | undefined> {
  if (failure.signature !== undefined && (await io.isMalformedAgain(failure.signature)))
    return stop(current, 'fail', { ...failure, detail: `${failure.detail} (${malformedAdvice})` })
  if (failure.decision.cursor === 'unknown') await io.markSuspect(failure.detail)
  const next = decideRetry(failure, current, { now: io.now(), random: () => io.random() })
  if (next.action !== 'retry') return stop(current, next.action, { ...failure, detail: next.reason })
  const { waitMs, retryState, pageSize } = next
  current.retryState = retryState
  const { cursor } = current
  current.cursor = cursor.token === undefined ? openingCursor(pageSize) : { ...cursor, pageSize }
  const reason = sentence(failure.detail)
  if (waitMs > maxSleepMs) return { kind: 'wait', waitMs, reason, retryState, pageSize }
  await io.wait(waitMs, reason)
  return undefined
}

function timeIsUp({ retryState, cursor: { pageSize } }: Scroll): ScrollEnd {
  return { kind: 'time-is-up', retryState, pageSize }
}

function stop(
  { cursor: { token, pageSize } }: Scroll,
  kind: FinalAction,
  { outcome, detail }: Pick<ScrollFailure, 'outcome' | 'detail'>,
): ScrollEnd {
  const cause = causeOf(outcome, token === undefined ? 'first' : 'later')
  return { kind, reason: sentence(detail), outcome, cause, pageSize }
}
