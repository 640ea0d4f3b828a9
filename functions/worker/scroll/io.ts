import { LeaseLost } from '../../state/lease/lease.ts'
import type { Cursor, Position } from '../../state/pages/page.ts'
import { positionOf } from '../../state/pages/page-items.ts'
import { UpstreamFailure } from '../../upstream/errors.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import type { Invocation, StepContext } from '../context.ts'
import { type PreparedPage, preparePage } from '../page/prepare.ts'
import type { RepeatDetector } from '../page/repeat-detector.ts'
import { type EntityAttempt, storeEnd, storePage } from '../page/store.ts'
import type { AttemptCount } from '../proof/page-count.ts'
import { bodyKind } from './body-kind.ts'
import { decodeResponse } from './decode-response.ts'

/** Everything outside the scroll loop that it uses. */
export interface ScrollIo {
  /** Sends one scroll request. Throws `UpstreamFailure`, `CredentialsError` and `LeaseLost`. */
  request(target: string): Promise<UpstreamResponse>
  /** Removes the platform's credentials from a text. */
  redact(text: string): string
  /** Prepares a page to be stored. Throws `MalformedPage`. */
  prepare(body: Buffer): Promise<PreparedPage>
  /** Stores a page and commits it after `position`. Throws `LeaseLost`. */
  storePage(page: PreparedPage, cursor: Cursor, position: Position): Promise<Position>
  /** Commits the end of the scroll. Throws `LeaseLost`. */
  storeEnd(cursor: Cursor, position: Position): Promise<Position>
  /** The number of ids in the committed pages. */
  uniqueIds(): Promise<number>
  /** Records that a page may be missing, before anything else is requested. */
  markSuspect(detail: string): Promise<void>
  sleep(ms: number): Promise<void>
  now(): number
  /** For the jitter of waits: 0 to 1. */
  random(): number
  /** True if this worker must hand off. */
  timeIsUp(): boolean
}

const requestMs = 110_000
const silenceMs = 60_000
/** The worker's last seconds, reserved to commit a page that arrives late. */
const reserveMs = 15_000
const maxPageBytes = 256 * 1024 * 1024

/** The scroll of a run, or of one of its ranges. */
export interface ScrollSession {
  readonly attempt: EntityAttempt
  readonly idField: string
  /** True if the scroll must stop soon: the worker hands off, or another range has failed. */
  timeIsUp(): boolean
  /** Makes sure that this worker still has the run. Called before each request. Throws `LeaseLost`. */
  renew(): Promise<void>
  countRequest(receivedBytes: number): Promise<void>
  countFault(fault: string): Promise<void>
  markSuspect(): Promise<void>
}

export interface AttemptIo {
  readonly invocation: Invocation
  readonly repeats: RepeatDetector
  readonly count: AttemptCount
}

/** Connects the scroll loop with the platform, the stores and the run. */
export function scrollIo(
  context: Omit<StepContext, 'settings' | 'publishEvent'>,
  session: ScrollSession,
  { invocation, repeats, count }: AttemptIo,
): ScrollIo {
  const { upstream, now, sleep, random, compress } = context
  return {
    now,
    sleep,
    random,
    timeIsUp: () => session.timeIsUp(),
    redact: (text) => upstream.redact(text),
    async request(target) {
      const answer = await upstream
        .send({
          area: 'documents',
          method: 'GET',
          target,
          headers: {
            Accept: 'application/json',
            'Accept-Encoding': 'identity',
            'Content-Type': 'application/json',
          },
          totalMs: Math.max(1_000, Math.min(requestMs, invocation.killedAt - reserveMs - now())),
          idleMs: silenceMs,
          maxBytes: maxPageBytes,
          onceOnly: true,
          beforeSend: () => session.renew(),
        })
        .catch(async (error: unknown) => {
          // Nothing was sent.
          if (error instanceof LeaseLost) throw error
          await session.countRequest(0)
          await session.countFault(error instanceof UpstreamFailure ? error.kind : 'other')
          throw error
        })
      const plain = decodeResponse(answer, maxPageBytes)
      await session.countRequest(answer.body.length)
      const fault = faultOf(plain)
      if (fault) await session.countFault(fault)
      return plain
    },
    prepare: (body) => preparePage(body, { idField: session.idField, compress, sleep }),
    async storePage(page, cursor, after) {
      const repeatedPages = repeats.isRepeat({ ...page, total: cursor.total }) ? after.repeatedPages + 1 : 0
      const committed = await storePage(context, session.attempt, { page, cursor, after, repeatedPages })
      count.add(committed)
      return positionOf(committed)
    },
    storeEnd: async (cursor, after) =>
      positionOf(await storeEnd(context, session.attempt, { cursor, after })),
    uniqueIds: async () => (await count.result()).uniqueIds,
    async markSuspect(detail) {
      context.log('WARN', 'request outcome unknown', { ...session.attempt, detail })
      await session.markSuspect()
    },
  }
}

/** The name under which a run counts a request without a page. */
function faultOf({ status, body }: UpstreamResponse): string | undefined {
  if (status >= 300) return String(status)
  const kind = bodyKind(body)
  return kind === 'cut-off' || kind === 'other' ? 'not-json' : undefined
}
