import type { EndEvidence, ReportedTotal } from '../../state/pages/page.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import type { BackgroundPages } from './background.ts'
import type { ScrollIo } from './io.ts'
import type { OutcomeName } from './outcomes.ts'
import { readScrollFailure, type ScrollFailure, type ScrollResponse } from './response.ts'
import { type ScrollRequest, sendScrollRequest } from './send.ts'
import { tokenExpiresAt } from './token-life.ts'

/** The end of a scroll, when it comes. */
export interface ReachedEnd {
  readonly total: ReportedTotal
  readonly uniqueIds: number
  /** True for the first page of a range, empty and without a token. */
  readonly isEmptyRange: boolean
}

/**
 * Whether an end is requested once more: before the reported total, and always if none was reported. Ids decide, since
 * repeated documents can make up for missing ones. After a malformed total nothing can be proven anyway.
 */
export function isEndDoubtful({ total, uniqueIds, isEmptyRange }: ReachedEnd): boolean {
  if (total === 'malformed') return false
  return isEmptyRange || total === 'not-reported' || uniqueIds < total
}

export type EndConfirmation =
  | { readonly kind: EndEvidence | 'time-is-up' }
  /** The response says nothing about the end. The request is sent again after a wait. */
  | { readonly kind: 'throttled'; readonly failure: ScrollFailure }
  /** The platform sent documents after all. They are being prepared. */
  | { readonly kind: 'continued'; readonly result: UpstreamResponse }

export interface ConfirmingScroll extends ScrollRequest, Pick<ReachedEnd, 'isEmptyRange'> {
  readonly background: BackgroundPages
}

const maxRequestMs = 30_000
const pauseMs = 1_000

/**
 * Repeats the request whose response was the end. A response whose outcome is unknown is requested a second time; it
 * makes nothing suspect, since the scroll has ended as far as is known.
 */
export async function requestEndAgain(current: ConfirmingScroll, io: ScrollIo): Promise<EndConfirmation> {
  for (const isLast of [false, true]) {
    // The platform may forget the token at the end, so the next worker might learn nothing by it.
    if (isLast && io.timeIsUp()) return { kind: 'time-is-up' }
    if (io.now() > tokenExpiresAt(current.cursor)) return { kind: 'unconfirmed' }
    const response = await sendScrollRequest(current, {
      ...io,
      request: (target, kind) => io.request(target, kind, maxRequestMs),
    })
    const confirmation = await confirmationBy(response, current, io)
    if (confirmation) return confirmation
    if (!isLast) await io.wait(pauseMs, 'The outcome of the request that confirms the end is unknown.')
  }
  return { kind: 'unconfirmed' }
}

/** Undefined if the outcome is unknown. */
async function confirmationBy(
  response: ScrollResponse,
  { background, isEmptyRange }: ConfirmingScroll,
  io: Pick<ScrollIo, 'repeatsFirstPage'>,
): Promise<EndConfirmation | undefined> {
  if (response.kind === 'end') return { kind: 'confirmed' }
  if (response.kind === 'failure') {
    if (throttling.has(response.outcome)) return { kind: 'throttled', failure: response }
    // A refused first request shows nothing about the documents of a range.
    return response.outcome === 'request refused' && !isEmptyRange ? { kind: 'refused' } : undefined
  }
  try {
    background.prepare(response.response.body)
    // A platform that begins a new scroll has nothing left of this one.
    if (await io.repeatsFirstPage(await background.prepared())) return { kind: 'confirmed' }
  } catch (error) {
    readScrollFailure(error, 'later')
    return undefined
  }
  return { kind: 'continued', result: response.response }
}

const throttling: ReadonlySet<OutcomeName> = new Set(['too many scrolls', 'too many requests'])
