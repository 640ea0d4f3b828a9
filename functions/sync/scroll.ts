import type { EntitySettings } from '../environment.ts'
import { conceal } from '../upstream/conceal.ts'
import type { UpstreamAnswer } from '../upstream/exchange.ts'
import { MalformedPage } from './json-scalars.ts'
import { detailOf, outcomes, verdictOf } from './outcomes.ts'
import type { Position } from './page.ts'
import { type Came, type Failed, hasFailed, readScrollAnswer, readScrollFailure } from './scroll-answer.ts'
import { remedy, sentence, type Trouble } from './trouble.ts'

/** What the platform told last, which may be a page ahead of what is committed. */
export interface Cursor {
  readonly token: string | undefined
  readonly total: number | undefined
  readonly pageSize: number
  /** When the answer came, in epoch milliseconds. */
  readonly answeredAt: number
}

/** What the loop needs of the world, so that it is tested without any. */
export interface ScrollPorts {
  /** Sends one scroll request. Throws `UpstreamFailure`. */
  request(target: string): Promise<UpstreamAnswer>
  /** Takes the platform's keys out of what it says. */
  conceal(text: string): string
  /** Begins what a page needs before it is kept, which goes on while the page before is being stored. */
  prepare(body: Buffer): void
  /** Stores a prepared page and commits it after `position`. Throws `MalformedPage`, `Displaced`. */
  keep(body: Buffer, cursor: Cursor, position: Position): Promise<Position>
  /** Commits the end of the scroll. Throws `Displaced`. */
  keepEnd(cursor: Cursor, position: Position): Promise<Position>
  /** Records that a page may have been lost, before anything else is asked for. */
  markSuspect(detail: string): Promise<void>
  /** Holds the run for this worker; called before each request. Throws `Displaced`. */
  holdOn(): Promise<void>
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
  readonly trouble: Trouble | undefined
}

export interface ScrollEnd {
  readonly kind: 'ended' | 'time-is-up' | 'wait' | 'new-attempt' | 'failed'
  readonly reason?: string
  /** With `wait` only. */
  readonly waitMs?: number
  readonly trouble?: Trouble | undefined
  /** The last page that is committed. */
  readonly position: Position
  /** The `_size` for the next first page. */
  readonly pageSize: number
}

/** The platform counts 20 minutes from the last request (interface section 8); half a minute is for the way. */
const tokenLifeMs = 20 * 60_000 - 30_000
/** For a longer wait than this the worker does not sleep, it hands over. */
const longestNapMs = 10_000
const mostPagesWithoutTotal = 50_000

/** Where a scroll stands. */
interface Way extends Omit<Scroll, 'position'> {
  committed: Position
  cursor: Cursor
  trouble: Trouble | undefined
  /** The page that is being stored while the next one is asked for. */
  storing: Promise<Position> | undefined
}

/**
 * Scrolls on from a position to the end, or until something else has to be done. The next page is asked for as soon
 * as the one before is here, while that one is stored; there are never more than two pages in memory. A page is
 * prepared while the one before is still being stored: without that a fast platform's scroll takes a fifth longer.
 */
export async function scroll({ position, ...start }: Scroll, ports: ScrollPorts): Promise<ScrollEnd> {
  const way: Way = { ...start, committed: position, cursor: position, storing: undefined }
  try {
    // The worker before died between a page without a token and the end mark. Another first request would open
    // another scroll, and its pages belong to another attempt.
    if (position.page > 0 && !position.end && position.token === undefined) await endWithoutToken(way, ports)
    while (!way.committed.end) {
      const stopped = (await stopBeforeAsking(way, ports)) ?? (await nextPage(way, ports))
      if (stopped) return stopped
    }
    return endOf(way, 'ended')
  } finally {
    // On the way out by an error, nothing may go on in the background.
    await way.storing?.catch(() => {})
  }
}

/** Whether there is no asking any more: the token is too old, or this worker's time is up. */
async function stopBeforeAsking(way: Way, ports: ScrollPorts): Promise<ScrollEnd | undefined> {
  const { token, answeredAt } = way.cursor
  const died = token !== undefined && ports.now() - answeredAt > tokenLifeMs
  if (!died && !ports.timeIsUp()) return undefined
  const lost = await settle(way)
  if (lost) await ports.markSuspect(lost.detail)
  return died ? stopFor(way, 'old token') : endOf(way, 'time-is-up')
}

/** Asks for the next page, waits until the one before is committed, and begins to store what came. */
async function nextPage(way: Way, ports: ScrollPorts): Promise<ScrollEnd | undefined> {
  const first = way.cursor.token === undefined
  await ports.holdOn()
  const came = await ask(way.entity, way.cursor, ports)
  const answeredAt = ports.now()
  if (!hasFailed(came) && came.verdict.follows === 'keep-page') ports.prepare(came.answer.body)

  const lost = await settle(way)
  const stopped = lost && (await recover(way, lost, ports))
  if (stopped) return stopped
  if (hasFailed(came)) return recover(way, came, ports)

  way.cursor = {
    token: tokenOf(came.answer, way.tokenHeader) ?? way.cursor.token,
    total: first ? totalOf(came.answer) : way.cursor.total,
    pageSize: way.cursor.pageSize,
    answeredAt,
  }
  if (came.verdict.follows === 'end') {
    way.committed = await ports.keepEnd(way.cursor, way.committed)
    return undefined
  }
  const most = mostPages(way.cursor)
  if (way.committed.page >= most) return stopFor(way, 'no end', { pages: String(most) })
  way.storing = ports.keep(came.answer.body, way.cursor, way.committed)
  // It is waited for after the next answer; until then its failure must not count as unhandled.
  way.storing.catch(() => {})
  return way.cursor.token === undefined ? endWithoutToken(way, ports) : undefined
}

/** Waits until the page before is committed. A page that proves malformed on the way is a page that was lost. */
async function settle(way: Way, first = false): Promise<Failed | undefined> {
  const stored = way.storing
  way.storing = undefined
  if (!stored) return undefined
  try {
    way.committed = await stored
    way.trouble = undefined
    return undefined
  } catch (error) {
    if (!(error instanceof MalformedPage)) throw error
    return readScrollFailure(error, first)
  }
}

/** Decides what follows a failure: an end, or undefined to go on. */
async function recover(way: Way, failed: Failed, ports: ScrollPorts): Promise<ScrollEnd | undefined> {
  if (failed.verdict.cursor === 'unknown') await ports.markSuspect(failed.detail)
  const next = remedy(
    failed,
    { pageSize: way.cursor.pageSize, trouble: way.trouble },
    { now: ports.now(), random: () => ports.random() },
  )
  if (next.action !== 'retry') return stop(way, next.action, next.reason)
  way.trouble = next.trouble
  way.cursor = { ...way.cursor, pageSize: next.pageSize }
  if (next.waitMs > longestNapMs) return endOf(way, 'wait', { waitMs: next.waitMs, reason: failed.detail })
  await ports.sleep(next.waitMs)
  return undefined
}

/** A page without a token is the last one that can be had. Whether it was the last of all, the count decides. */
async function endWithoutToken(way: Way, ports: ScrollPorts): Promise<ScrollEnd | undefined> {
  const lost = await settle(way, true)
  if (lost) return recover(way, lost, ports)
  if (way.committed.documentsSoFar !== way.cursor.total && verdictOf('no token', true).cursor === 'unknown')
    await ports.markSuspect(detailOf('no token'))
  way.committed = await ports.keepEnd(way.cursor, way.committed)
  return undefined
}

function endOf(way: Way, kind: ScrollEnd['kind'], more: Partial<ScrollEnd> = {}): ScrollEnd {
  return { kind, trouble: way.trouble, position: way.committed, pageSize: way.cursor.pageSize, ...more }
}

function stop(way: Way, action: 'new-attempt' | 'fail', reason: string): ScrollEnd {
  if (action === 'fail') return endOf(way, 'failed', { reason })
  return endOf(way, 'new-attempt', { reason, trouble: undefined })
}

function stopFor(way: Way, outcome: 'old token' | 'no end', words = {}): ScrollEnd {
  return stop(way, outcomes[outcome].later.follows, sentence(detailOf(outcome, words)))
}

async function ask(entity: EntitySettings, cursor: Cursor, ports: ScrollPorts): Promise<Came> {
  const { token } = cursor
  const first = token === undefined
  try {
    const answer = await ports.request(target(entity, cursor))
    return readScrollAnswer(answer, {
      first,
      now: ports.now(),
      // Who has a scroll's token can go on with it.
      conceal: (text) => conceal(ports.conceal(text), first ? [] : [token]),
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
  return `/api/dataentities/${encodeURIComponent(entity.name)}/scroll?${parameters.toString()}`
}

function tokenOf(answer: UpstreamAnswer, header: string): string | undefined {
  return String(answer.headers[header] ?? '').trim() || undefined
}

function totalOf(answer: UpstreamAnswer): number | undefined {
  const text = String(answer.headers['rest-content-total'] ?? '').trim()
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function mostPages({ total, pageSize }: Cursor): number {
  return total === undefined ? mostPagesWithoutTotal : 2 * Math.max(1, Math.ceil(total / pageSize))
}
