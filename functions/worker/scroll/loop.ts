import { MalformedPage } from '../../documents/json-scalars.ts'
import { scrollPath } from '../../platform/endpoints.ts'
import { platformHeaders } from '../../platform/headers.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { Position } from '../../state/page.ts'
import type { RetryState } from '../../state/retry-state.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { redact } from '../../upstream/redact.ts'
import { detailOf, outcomes, verdictOf } from './outcomes.ts'
import {
  hasFailed,
  readScrollAnswer,
  readScrollFailure,
  type ScrollFailure,
  type ScrollResponse,
} from './response.ts'
import { remedy, sentence } from './retry-policy.ts'

/** What the platform told last, which may be a page ahead of what is committed. */
export interface Cursor {
  readonly token: string | undefined
  readonly total: number | undefined
  readonly pageSize: number
  /** When the answer came, in epoch milliseconds. */
  readonly answeredAt: number
}

/** What the loop needs of the world, so that it is tested without any. */
export interface ScrollIo {
  /** Sends one scroll request. Throws `UpstreamFailure`. */
  request(target: string): Promise<UpstreamResponse>
  /** Takes the platform's keys out of what it says. */
  redact(text: string): string
  /** Begins what a page needs before it is kept, which goes on while the page before is being stored. */
  prepare(body: Buffer): void
  /** Stores a prepared page and commits it after `position`. Throws `MalformedPage`, `LeaseLost`. */
  keep(body: Buffer, cursor: Cursor, position: Position): Promise<Position>
  /** Commits the end of the scroll. Throws `LeaseLost`. */
  keepEnd(cursor: Cursor, position: Position): Promise<Position>
  /** Records that a page may have been lost, before anything else is asked for. */
  markSuspect(detail: string): Promise<void>
  /** Holds the run for this worker; called before each request. Throws `LeaseLost`. */
  renewLease(): Promise<void>
  sleep(ms: number): Promise<void>
  now(): number
  /** For the jitter of waits: 0 to 1. */
  random(): number
  /** True when this worker should hand over. */
  timeIsUp(): boolean
}

export interface Scroll {
  readonly entity: EntitySettings
  /** Name of the response header with the token, in lower case. */
  readonly tokenHeader: string
  readonly position: Position
  readonly retryState: RetryState | undefined
}

export interface ScrollEnd {
  readonly kind: 'ended' | 'time-is-up' | 'wait' | 'new-attempt' | 'failed'
  readonly reason?: string
  /** With `wait` only. */
  readonly waitMs?: number
  readonly retryState?: RetryState | undefined
  /** The last page that is committed. */
  readonly position: Position
  /** The `_size` for the next first page. */
  readonly pageSize: number
}

/** The platform counts 20 minutes from the last request (interface section 8); half a minute is for the way. */
const tokenLifeMs = 20 * 60_000 - 30_000
/** For a longer wait than this the worker does not sleep, it hands over. */
const maxSleepMs = 10_000
const maxPagesWithoutTotal = 50_000

/** Where a scroll stands. */
interface ScrollState extends Omit<Scroll, 'position'> {
  committed: Position
  cursor: Cursor
  retryState: RetryState | undefined
  /** The page that is being stored while the next one is asked for. */
  storing: Promise<Position> | undefined
}

/**
 * Scrolls on from a position to the end, or until something else has to be done. The next page is asked for as soon
 * as the one before is here, while that one is stored; there are never more than two pages in memory. A page is
 * prepared while the one before is still being stored: without that a fast platform's scroll takes a fifth longer.
 */
export async function scroll({ position, ...start }: Scroll, ports: ScrollIo): Promise<ScrollEnd> {
  const scrollState: ScrollState = { ...start, committed: position, cursor: position, storing: undefined }
  try {
    // The worker before died between a page without a token and the end mark. Another first request would open
    // another scroll, and its pages belong to another attempt.
    if (position.page > 0 && !position.end && position.token === undefined)
      await endWithoutToken(scrollState, ports)
    while (!scrollState.committed.end) {
      const stopped = (await stopBeforeAsking(scrollState, ports)) ?? (await nextPage(scrollState, ports))
      if (stopped) return stopped
    }
    return endOf(scrollState, 'ended')
  } finally {
    // On the way out by an error, nothing may go on in the background.
    await scrollState.storing?.catch(() => {})
  }
}

/** Whether there is no asking any more: the token is too old, or this worker's time is up. */
async function stopBeforeAsking(scrollState: ScrollState, ports: ScrollIo): Promise<ScrollEnd | undefined> {
  const { token, answeredAt } = scrollState.cursor
  const died = token !== undefined && ports.now() - answeredAt > tokenLifeMs
  if (!died && !ports.timeIsUp()) return undefined
  const lost = await settle(scrollState)
  if (lost) await ports.markSuspect(lost.detail)
  return died ? stopFor(scrollState, 'old token') : endOf(scrollState, 'time-is-up')
}

/** Asks for the next page, waits until the one before is committed, and begins to store what came. */
async function nextPage(scrollState: ScrollState, ports: ScrollIo): Promise<ScrollEnd | undefined> {
  const first = scrollState.cursor.token === undefined
  await ports.renewLease()
  const came = await ask(scrollState.entity, scrollState.cursor, ports)
  const answeredAt = ports.now()
  if (!hasFailed(came) && came.verdict.action === 'keep-page') ports.prepare(came.answer.body)

  const lost = await settle(scrollState)
  const stopped = lost && (await recover(scrollState, lost, ports))
  if (stopped) return stopped
  if (hasFailed(came)) return recover(scrollState, came, ports)

  scrollState.cursor = {
    token: tokenOf(came.answer, scrollState.tokenHeader) ?? scrollState.cursor.token,
    total: first ? totalOf(came.answer) : scrollState.cursor.total,
    pageSize: scrollState.cursor.pageSize,
    answeredAt,
  }
  if (came.verdict.action === 'end') {
    scrollState.committed = await ports.keepEnd(scrollState.cursor, scrollState.committed)
    return undefined
  }
  const most = maxPages(scrollState.cursor)
  if (scrollState.committed.page >= most) return stopFor(scrollState, 'no end', { pages: String(most) })
  scrollState.storing = ports.keep(came.answer.body, scrollState.cursor, scrollState.committed)
  // It is waited for after the next answer; until then its failure must not count as unhandled.
  scrollState.storing.catch(() => {})
  return scrollState.cursor.token === undefined ? endWithoutToken(scrollState, ports) : undefined
}

/** Waits until the page before is committed. A page that proves malformed on the way is a page that was lost. */
async function settle(scrollState: ScrollState, first = false): Promise<ScrollFailure | undefined> {
  const stored = scrollState.storing
  scrollState.storing = undefined
  if (!stored) return undefined
  try {
    scrollState.committed = await stored
    scrollState.retryState = undefined
    return undefined
  } catch (error) {
    if (!(error instanceof MalformedPage)) throw error
    return readScrollFailure(error, first)
  }
}

/** Decides what follows a failure: an end, or undefined to go on. */
async function recover(
  scrollState: ScrollState,
  failed: ScrollFailure,
  ports: ScrollIo,
): Promise<ScrollEnd | undefined> {
  if (failed.verdict.cursor === 'unknown') await ports.markSuspect(failed.detail)
  const next = remedy(
    failed,
    { pageSize: scrollState.cursor.pageSize, retryState: scrollState.retryState },
    { now: ports.now(), random: () => ports.random() },
  )
  if (next.action !== 'retry') return stop(scrollState, next.action, next.reason)
  scrollState.retryState = next.retryState
  scrollState.cursor = { ...scrollState.cursor, pageSize: next.pageSize }
  if (next.waitMs > maxSleepMs)
    return endOf(scrollState, 'wait', { waitMs: next.waitMs, reason: failed.detail })
  await ports.sleep(next.waitMs)
  return undefined
}

/** A page without a token is the last one that can be had. Whether it was the last of all, the count decides. */
async function endWithoutToken(scrollState: ScrollState, ports: ScrollIo): Promise<ScrollEnd | undefined> {
  const lost = await settle(scrollState, true)
  if (lost) return recover(scrollState, lost, ports)
  if (
    scrollState.committed.documentsSoFar !== scrollState.cursor.total &&
    verdictOf('no token', true).cursor === 'unknown'
  )
    await ports.markSuspect(detailOf('no token'))
  scrollState.committed = await ports.keepEnd(scrollState.cursor, scrollState.committed)
  return undefined
}

function endOf(scrollState: ScrollState, kind: ScrollEnd['kind'], more: Partial<ScrollEnd> = {}): ScrollEnd {
  return {
    kind,
    retryState: scrollState.retryState,
    position: scrollState.committed,
    pageSize: scrollState.cursor.pageSize,
    ...more,
  }
}

function stop(scrollState: ScrollState, action: 'new-attempt' | 'fail', reason: string): ScrollEnd {
  if (action === 'fail') return endOf(scrollState, 'failed', { reason })
  return endOf(scrollState, 'new-attempt', { reason, retryState: undefined })
}

function stopFor(scrollState: ScrollState, outcome: 'old token' | 'no end', words = {}): ScrollEnd {
  return stop(scrollState, outcomes[outcome].later.action, sentence(detailOf(outcome, words)))
}

async function ask(entity: EntitySettings, cursor: Cursor, ports: ScrollIo): Promise<ScrollResponse> {
  const { token } = cursor
  const first = token === undefined
  try {
    const answer = await ports.request(target(entity, cursor))
    return readScrollAnswer(answer, {
      first,
      now: ports.now(),
      // Who has a scroll's token can go on with it.
      redact: (text) => redact(ports.redact(text), first ? [] : [token]),
    })
  } catch (error) {
    return readScrollFailure(error, first)
  }
}

/** The first request sets the size and carries the entity's query; later ones carry the token alone (section 4.5). */
function target(entity: EntitySettings, { token, pageSize }: Cursor): string {
  const parameters = new URLSearchParams()
  if (token !== undefined) parameters.set('_token', token)
  else {
    parameters.set('_size', String(pageSize))
    for (const [name, value] of Object.entries(entity.query)) {
      for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one)
    }
  }
  const path = scrollPath.replace('{data_entity}', encodeURIComponent(entity.name))
  return `${path}?${parameters.toString()}`
}

function tokenOf(answer: UpstreamResponse, header: string): string | undefined {
  return String(answer.headers[header] ?? '').trim() || undefined
}

function totalOf(answer: UpstreamResponse): number | undefined {
  const text = String(answer.headers[platformHeaders.total] ?? '').trim()
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function maxPages({ total, pageSize }: Cursor): number {
  return total === undefined ? maxPagesWithoutTotal : 2 * Math.max(1, Math.ceil(total / pageSize))
}
