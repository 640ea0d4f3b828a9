import { type PageIds, readIds } from '../../../stored/documents/stored-ids.ts'
import type { Cursor, EndEvidence, EndPosition, Position, ReportedTotal } from '../../../stored/pages/page.ts'
import { endPositionOf, positionOf } from '../../../stored/pages/page-items.ts'
import { type OpenRange, type RangeState, suspected, withMalformed } from '../../../stored/run/range.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import { clientLimits, maxCallMs } from '../../runtime/client-limits.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import type { Invocation, StepContext } from '../context.ts'
import type { ReceivedIds } from '../page/received-ids.ts'
import { isRepeatOf, type RepeatDetector } from '../page/repeat-detector.ts'
import type { EntityAttempt, PageStores, PageToStore, RecordedPage } from '../page/store.ts'
import { type PreparedPage, preparePage, storeEnd, storePage } from '../page/store.ts'
import { pageKinds } from './body-kind.ts'
import { type RequestOwner, sendCounted } from './counted-request.ts'
import type { RequestKind } from './decision.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { faultOfPage } from './fault.ts'

interface ScrollRequestOptions {
  readonly cookies?: string | undefined
  readonly maxMs?: number
}

/** Everything outside the scroll loop that it uses. */
export interface ScrollIo {
  /** Sends one scroll request. Throws `UpstreamFailure`, `CredentialsError` and `LeaseLost`. */
  request(target: string, kind: RequestKind, options?: ScrollRequestOptions): Promise<UpstreamResponse>
  /** Removes the platform's credentials from a text. */
  redact(text: string): string
  /** Prepares a page to be stored, and counts one that cannot be. Throws `MalformedPage` and `TooManyDocuments`. */
  prepare(body: Buffer): Promise<PreparedPage>
  /** What was recorded of the requests up to the page that is stored next. */
  takeReceived(): RecordedPage
  /** Records it with the next page instead, since the page cannot be stored. */
  giveBack(received: RecordedPage): void
  /** Stores a page and commits it. Throws `LeaseLost`. */
  storePage(page: Omit<PageToStore, 'repeatedPages'>): Promise<Position>
  /** Commits the end of the scroll. Throws `LeaseLost`. */
  storeEnd(cursor: Cursor, position: Position, evidence: EndEvidence): Promise<EndPosition>
  /** Records that a scroll is opened, before its first request is sent. */
  beforeOpening(): Promise<void>
  /** Compares the total of the first response with searches. Returns the total to expect. */
  checkOpening(total: ReportedTotal): Promise<OpeningResult>
  /** True if most of a page's ids are those of the attempt's first page. */
  repeatsFirstPage(page: PreparedPage): Promise<boolean>
  /** The number of ids in the committed pages; undefined if other workers received some of them. */
  uniqueIds(): number | undefined
  /** Records that a page may be missing, before anything else is requested. */
  markSuspect(detail: string): Promise<void>
  /** Records a malformed document. True if the run has received it before, so that it stays as it is. */
  isMalformedAgain(signature: string): Promise<boolean>
  /** Logs why the scroll waits, and sleeps. */
  wait(waitMs: number, reason: string): Promise<void>
  now(): number
  /** For the jitter of waits: 0 to 1. */
  random(): number
  /** True if this worker must hand off. */
  timeIsUp(): boolean
}

/** What searches report about the total of a scroll's first response. */
export type OpeningResult =
  | {
      readonly kind: 'agreement'
      readonly total: ReportedTotal
      /** The totals of the searches; undefined if nothing was searched for. */
      readonly searched?: readonly number[] | undefined
    }
  | { readonly kind: 'disagreement'; readonly reason: string }
  /** The platform does not respond to searches at the moment. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }

const requestMs = 110_000
const silenceMs = 60_000
/** The worker's last seconds, reserved to store and commit a page that arrives late. */
const reserveMs = maxCallMs(clientLimits.bucket) + maxCallMs(clientLimits.table)
const maxPageBytes = 256 * 1024 * 1024

export interface ScrollSession {
  readonly attempt: EntityAttempt
  readonly idField: string
  readonly owner: RequestOwner
  readonly range: OpenRange
  /** Records what `change` makes of the range. */
  change(change: (range: OpenRange) => RangeState): Promise<void>
  /** True if the scroll must stop soon: the worker hands off, or another range has failed. */
  timeIsUp(): boolean
  /** Records the position after a commit. */
  recordProgress(position: Position): void
  /** Called before each first request. */
  beforeOpening(): Promise<void>
  checkOpening(total: ReportedTotal): Promise<OpeningResult>
}

export interface AttemptIo {
  readonly invocation: Invocation
  readonly repeats: RepeatDetector
  readonly ids: ReceivedIds
  readonly record: ExchangeRecord
}

/** What a scroll uses of the worker's context. */
export type ScrollContext = Pick<
  StepContext,
  'upstream' | 'now' | 'sleep' | 'random' | 'compress' | 'log' | 'uniqueName'
> &
  PageStores & {
    readonly state: Pick<StateStore, 'pages'>
    readonly snapshots: Pick<SnapshotStore, 'readPage'>
  }

/** The ids of the committed pages of an attempt, in their order. */
export async function* committedIds(
  { state, snapshots }: ScrollContext,
  { attempt, idField }: Pick<ScrollSession, 'attempt' | 'idField'>,
): AsyncGenerator<PageIds> {
  for await (const { key } of state.pages(attempt)) {
    const object = await snapshots.readPage(key)
    if (object) yield readIds(object, idField)
  }
}

/** Connects the scroll loop with the platform, the stores and the run. */
export function scrollIo(
  context: ScrollContext,
  session: ScrollSession,
  { invocation, repeats, ids, record }: AttemptIo,
): ScrollIo {
  const { upstream, now, sleep, random, compress } = context
  const recorded = <P extends Position>(position: P): P => {
    session.recordProgress(position)
    return position
  }
  return {
    now,
    random,
    timeIsUp: () => session.timeIsUp(),
    redact: (text) => upstream.redact(text),
    request: (target, kind, { cookies, maxMs = requestMs } = {}) =>
      sendCounted(upstream, session.owner, {
        area: 'documents',
        method: 'GET',
        target,
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'identity',
          'Content-Type': 'application/json',
          ...(cookies !== undefined && { Cookie: cookies }),
        },
        totalMs: Math.max(1_000, Math.min(maxMs, invocation.killedAt - reserveMs - now())),
        idleMs: silenceMs,
        maxBytes: maxPageBytes,
        onceOnly: true,
        kindOf: pageKinds[kind],
        record,
      }),
    async prepare(body) {
      try {
        return await preparePage(body, { idField: session.idField, compress, sleep })
      } catch (error) {
        const fault = faultOfPage(error)
        if (fault) await session.owner.countFault(fault)
        throw error
      }
    },
    takeReceived: () => record.take(),
    giveBack: (received) => record.giveBack(received),
    async storePage({ page, cursor, after, received }) {
      const repeatedPages = repeats.isRepeat(page, cursor.total) ? after.repeatedPages + 1 : 0
      const toStore = { page, cursor, after, repeatedPages, received }
      const committed = await storePage(context, session.attempt, toStore)
      ids.add(page)
      return recorded(positionOf(committed))
    },
    async storeEnd(cursor, after, evidence) {
      const toStore = { cursor, after, evidence, received: record.take() }
      return recorded(endPositionOf(await storeEnd(context, session.attempt, toStore)))
    },
    beforeOpening: () => session.beforeOpening(),
    async checkOpening(total) {
      const opening = await session.checkOpening(total)
      if (opening.kind === 'agreement' && opening.searched) record.searched(opening.searched)
      return opening
    },
    async repeatsFirstPage(page) {
      for await (const first of committedIds(context, session)) {
        const isRepeated = isRepeatOf(first, page)
        if (isRepeated) record.repeated(page)
        return isRepeated
      }
      return false
    },
    uniqueIds: () => ids.unique(),
    async isMalformedAgain(signature) {
      if (session.range.malformed?.includes(signature)) return true
      await session.change((range) => withMalformed(range, signature))
      return false
    },
    async markSuspect(detail) {
      context.log('WARN', 'request outcome unknown', { ...session.attempt, detail })
      if (!session.range.suspect) await session.change((range) => suspected(range, detail))
    },
    async wait(waitMs, reason) {
      const waitSeconds = Math.ceil(waitMs / 1000)
      context.log('WARN', 'scroll waiting', { ...session.attempt, reason, waitSeconds })
      await sleep(waitMs)
    },
  }
}
