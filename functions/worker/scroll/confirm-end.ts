import type { EndEvidence, ReportedTotal } from '../../../stored/pages/page.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import type { BackgroundPages } from './background.ts'
import { evidenceAtTotal } from './decision.ts'
import type { ScrollIo } from './io.ts'
import type { OutcomeName } from './outcomes.ts'
import { readScrollFailure, type ScrollFailure, type ScrollResponse } from './response.ts'
import { tokenExpiresAt } from './retry-policy.ts'
import { type ScrollRequest, sendScrollRequest } from './send.ts'

/** What a scroll has received when a response without documents arrives. */
export interface ReceivedAtEnd {
  readonly total: ReportedTotal
  readonly documents: number
  /** Undefined if other workers received some of the pages. */
  readonly uniqueIds: number | undefined
  /** True for the first page of a range, empty and without a token. */
  readonly isEmptyRange: boolean
}

/**
 * What a response without documents shows of the end of a scroll. An empty page is the end, but before the reported
 * total, or without one, it is doubtful and requested once more. Other forms are the end only of a scroll that has all
 * documents, whose token the platform may have forgotten. Ids decide, since repeated documents can make up for missing
 * ones; where they are not known, the publisher decides.
 */
export function decideEnd(
  outcome: OutcomeName | 'end',
  { total, documents, uniqueIds, isEmptyRange }: ReceivedAtEnd,
): EndEvidence | 'doubtful' | 'no-end' {
  if (outcome === 'end') {
    // After a malformed total nothing can be proven anyway.
    const isDoubtful =
      total !== 'malformed' &&
      (isEmptyRange || total === 'not-reported' || uniqueIds === undefined || uniqueIds < total)
    return isDoubtful ? 'doubtful' : 'confirmed'
  }
  const mayBeComplete =
    uniqueIds === undefined ? typeof total === 'number' && documents >= total : uniqueIds === total
  return (mayBeComplete && evidenceAtTotal(outcome)) || 'no-end'
}

export type EndConfirmation =
  | { readonly kind: EndEvidence | 'time-is-up' }
  /** The response says nothing about the end. The request is sent again after a wait. */
  | { readonly kind: 'throttled'; readonly failure: ScrollFailure }
  /** The platform sent documents after all. They are being prepared. */
  | { readonly kind: 'continued'; readonly result: UpstreamResponse }

export interface ConfirmingScroll extends ScrollRequest, Pick<ReceivedAtEnd, 'isEmptyRange'> {
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
      request: (target, kind, options) => io.request(target, kind, { ...options, maxMs: maxRequestMs }),
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

const throttling: ReadonlySet<OutcomeName> = new Set([
  'too many scrolls',
  'too many requests',
  'rate limit with a time',
  'rate limit',
])
