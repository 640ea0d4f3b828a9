import type { EndEvidence } from '../../../stored/pages/page.ts'
import type { FailureCause } from '../../../stored/run/run.ts'
import { tooManyScrolls } from '../../platform/endpoints.ts'
import type { UpstreamFailureKind } from '../../upstream/exchange.ts'
import type { ResponseClass } from '../../upstream/intermediary.ts'
import { type RetryPolicy, redirectStatuses } from '../../upstream/retry.ts'
import type { BodyKind } from './body-kind.ts'

/** What follows from the outcome of a scroll request. */
export type Decision = PageDecision | FailureDecision

export interface PageDecision {
  /** `unknown` makes the attempt suspect: a page may be missing. */
  readonly cursor: 'moved' | 'unknown'
  readonly action: 'keep-page' | 'end'
}

export type FailureDecision =
  | { readonly cursor: FailedCursor; readonly action: FinalAction }
  | {
      readonly cursor: FailedCursor
      readonly action: 'retry' | 'retry-smaller'
      readonly policy: RetryPolicy
      readonly onExhausted: 'new-attempt' | 'fail'
    }
type FailedCursor = 'none' | 'unmoved' | 'unknown' | 'dead'
export type FinalAction = 'new-attempt' | 'fail' | 'skip'

const minute = 60_000
/** A longer failure is an outage, and the next run may succeed. */
const outage: RetryPolicy = {
  kind: 'outage',
  maxTries: 8,
  maxMs: 4 * minute,
  wait: { baseMs: 500, capMs: 30_000 },
  whenTooLong: 'shorten',
}
/** A platform that throttles is available, so waiting longer is worthwhile. */
const throttled: RetryPolicy = {
  ...outage,
  kind: 'throttled',
  maxTries: Number.POSITIVE_INFINITY,
  maxMs: Number.POSITIVE_INFINITY,
}
/** Without a time to wait for, it may as well be rejected credentials. */
const limited: RetryPolicy = { ...throttled, kind: 'limited', maxMs: outage.maxMs }
const noFreeScroll: RetryPolicy = { ...throttled, wait: { meanMs: minute } }

const keepPage = { cursor: 'moved', action: 'keep-page' } as const
const end = { cursor: 'moved', action: 'end' } as const
/** The count decides whether there was more. */
const unknownEnd = { cursor: 'unknown', action: 'end' } as const
/** No cursor has moved: the next request opens a scroll of its own. */
const reopen = { cursor: 'none', action: 'retry', policy: outage, onExhausted: 'fail' } as const
/** A smaller page may succeed. Only a first request can set the size (interface 4.5). */
const reopenSmaller = { ...reopen, action: 'retry-smaller' } as const
/** It is unknown whether the cursor has moved. Continue with the newest token; the count decides at the end. */
const continueSuspect = {
  cursor: 'unknown',
  action: 'retry',
  policy: outage,
  onExhausted: 'new-attempt',
} as const
/** The request was sent, and brought no page. */
const pageLost = { first: reopen, later: continueSuspect } as const
const pageLostSmaller = { ...pageLost, first: reopenSmaller } as const
/** Nothing was done. */
const sendAgain = { cursor: 'unmoved', action: 'retry', policy: outage, onExhausted: 'fail' } as const
/** Nothing was done, and another scroll would get the same response. */
const waitThrottled = { ...sendAgain, policy: throttled } as const
const waitLimited = { ...sendAgain, policy: limited } as const
const waitForScroll = { ...sendAgain, policy: noFreeScroll } as const
const restartScroll = { cursor: 'dead', action: 'new-attempt' } as const
/** The platform will always respond the same way. */
const giveUp = { cursor: 'unmoved', action: 'fail' } as const
/** The deployment is not set up yet. This is not a failure. */
const skip = { cursor: 'none', action: 'skip' } as const

/**
 * Every outcome of a scroll request and what follows: `first` for the request that opens a scroll, `later` for one that
 * continues it, `any` for both. A response is the first row that matches. In the sources, "Interface" is the description
 * of the platform's interface and "In practice" what is known of such platforms in the field.
 */
export const outcomes = {
  cache: {
    statuses: ['any'],
    by: 'cache',
    message: '{class}',
    ...pageLost,
    source:
      'In practice, Between us and the platform: a cache responds with an older page, or with the page of another token.',
  },
  firewall: {
    statuses: ['any'],
    by: 'firewall',
    message: '{class}',
    ...pageLost,
    cause: 'platform-away',
    source:
      'In practice, Between us and the platform: 403 with an HTML page, now and then or always, while the credentials are right.',
  },
  'rate limit with a time': {
    statuses: ['any'],
    by: 'rate-limit',
    hasRetryAfter: true,
    message: '{class}',
    any: waitThrottled,
    firstCause: 'credentials',
    source: 'In practice, Between us and the platform: a rate limit comes as 403, with Retry-After.',
  },
  'rate limit': {
    statuses: ['any'],
    by: 'rate-limit',
    message: '{class}',
    any: waitLimited,
    firstCause: 'credentials',
    source: 'In practice, Between us and the platform: a rate limit comes as 403, X-RateLimit-Remaining: 0.',
  },
  'no content': {
    statuses: ['204'],
    any: end,
    source: 'In practice, Scroll: the end is an empty body, in the field also 204.',
  },
  'empty page': {
    statuses: ['2xx'],
    body: 'empty',
    any: end,
    source:
      'Interface 4.5: an empty body means no more documents. In practice, Scroll: also [] and white space.',
  },
  page: {
    statuses: ['2xx'],
    body: 'documents',
    any: keepPage,
    source: 'Interface 4.5. In practice, Scroll: the newest token requests the next page on every platform.',
  },
  'cut off': {
    statuses: ['2xx'],
    body: 'cut-off',
    message:
      'the platform responded with {status} and a JSON array that is cut off or followed by other bytes',
    ...pageLostSmaller,
    source: 'In practice, Scroll: an intermediary cuts a body off.',
  },
  'no list': {
    statuses: ['2xx'],
    body: 'nothing',
    message: 'the platform responded with {status} and {body}',
    ...pageLost,
    endsAtTotal: 'confirmed',
    source:
      'In practice, Between us and the platform: the end is null, {} or "" instead of an empty list; errors come with 200.',
  },
  'not JSON': {
    statuses: ['2xx'],
    body: 'other',
    message: 'the platform responded with {status} and {body}',
    ...pageLost,
    source: 'In practice, Scroll: an intermediary responds with 200 and an HTML page; error bodies differ.',
  },
  'too many scrolls': {
    statuses: ['400'],
    text: tooManyScrolls,
    message: 'the platform allows no more scrolls at the moment ({response})',
    any: waitForScroll,
    source:
      'In practice, Scroll: about 10 scrolls at once; the next request receives 400 "Maximum simultaneous".',
  },
  'request timeout': {
    statuses: ['408'],
    ...pageLostSmaller,
    cause: 'platform-away',
    source: 'In practice, Scroll: a large first page can receive 408; a smaller _size works better.',
  },
  'too many requests': {
    statuses: ['429'],
    any: waitThrottled,
    source: 'RFC 6585 section 4. In practice, Scroll: 429 under load, with and without Retry-After.',
  },
  'credentials rejected': {
    statuses: ['any'],
    by: 'rejected',
    message: 'the platform responded with {response}, and there are no newer credentials: set valid ones',
    any: giveUp,
    cause: 'credentials',
    source:
      'In practice, Credentials: old credentials receive 401 or 403. The client has read the secret again by then.',
  },
  'platform busy': {
    statuses: ['503'],
    hasRetryAfter: true,
    first: { ...reopen, policy: throttled },
    later: { ...continueSuspect, policy: throttled },
    cause: 'platform-away',
    source: 'In practice, Scroll: 503 under load, with Retry-After. Anything in between may have sent it.',
  },
  'platform failed': {
    statuses: ['425', '5xx'],
    ...pageLost,
    cause: 'platform-away',
    source:
      'RFC 9110 section 15.6, RFC 8470 section 5.2. In practice, Scroll: 503 under load, with and without Retry-After.',
  },
  'request refused': {
    statuses: ['4xx'],
    // The query was accepted with the first request, so only the token of a later one can be wrong.
    first: giveUp,
    later: restartScroll,
    endsAtTotal: 'refused',
    source:
      'RFC 9110 section 15.5. In practice, Scroll: an expired token receives 400, "Operation not found", and so does one whose scroll is finished.',
  },
  'permanent redirect': {
    statuses: ['301', '308'],
    message:
      'the platform responded with {status}, a permanent redirect to {target}: set upstream.baseUrl to the address of its API, and deploy',
    any: giveUp,
    source:
      'RFC 9110 sections 15.4.2 and 15.4.9: the address has changed, so a repeat gets the same response.',
  },
  redirect: {
    statuses: redirectStatuses,
    message: 'the platform responded with {status}, a redirect to {target} (check upstream.baseUrl)',
    ...pageLost,
    source: 'RFC 9110 section 15.4: a redirect, which the interface does not have.',
  },
  'another status': {
    statuses: ['any'],
    ...pageLost,
    source: 'RFC 9110 section 15: a status that the interface does not have; a proxy in between.',
  },

  unreachable: {
    message: 'the platform could not be reached: {cause}',
    any: sendAgain,
    cause: 'platform-away',
    source: 'RFC 9110 section 9.2.2: nothing was sent (name, connection, TLS), so a repeat is safe.',
  },
  timeout: {
    message: '{cause}',
    ...pageLostSmaller,
    cause: 'platform-away',
    source: 'In practice, Scroll: a proxy holds the connection open for minutes.',
  },
  interrupted: {
    message: '{cause}',
    ...pageLostSmaller,
    cause: 'platform-away',
    source:
      'RFC 9112 section 8: an incomplete body is not a response. In practice, Scroll: bodies are cut off.',
  },
  unreadable: {
    message: '{cause}',
    ...pageLost,
    source:
      'RFC 9112 and RFC 9110 section 8.4: a response that breaks the rules may have been changed on its way.',
  },
  'too-large': {
    message: 'the response is larger than a page can be',
    ...pageLostSmaller,
    source: 'Interface 8: a page has at most 1000 documents.',
  },

  'credentials not set': {
    message: 'the credentials are not set yet. Set them and start the sync again',
    first: skip,
    later: giveUp,
    source: 'The placeholder that the secret is created with.',
  },
  'credentials malformed': {
    message: '{cause}',
    any: giveUp,
    source: 'In practice, Credentials: two values. The secret contains something else.',
  },
  'credentials unreadable': {
    message: 'the credentials could not be read',
    any: sendAgain,
    source: 'The secret could not be read, which is temporary; nothing was sent.',
  },

  'malformed page': {
    message: '{cause}',
    // Only a first page without a token is known to be malformed before another request is sent.
    ...pageLost,
    source: 'RFC 8259: bracketed and not JSON. In practice, Scroll: bodies are cut and changed.',
  },
  'too many documents': {
    message: 'the platform ignored _size: its page has {cause}',
    any: giveUp,
    source: 'Interface 8: a page has at most 1000 documents.',
  },
  'no token': {
    message: 'the first page came without a token',
    first: unknownEnd,
    source: 'Interface 4.5: the first response carries the token; without it no other page can be requested.',
  },
  'expired token': {
    message: 'the scroll token expired: 20 minutes passed',
    later: restartScroll,
    source: 'Interface 8. In practice, Scroll: counted from the last request on most deployments.',
  },
  runaway: {
    message: 'the scroll does not end: {cause}',
    later: giveUp,
    source: 'Interface 4.5: a scroll ends when its documents have been sent.',
  },
} as const satisfies Record<string, RequestOutcome> &
  Record<Exclude<UpstreamFailureKind, 'not-sent'>, RequestOutcome>

export type OutcomeName = keyof typeof outcomes

export interface RequestOutcome {
  /** Of a response. `5xx` matches all of them. */
  readonly statuses?: readonly string[]
  readonly body?: BodyKind
  /** Who sent it and why. */
  readonly by?: ResponseClass
  /** Only a response with a `Retry-After` matches. */
  readonly hasRetryAfter?: true
  /** A pattern that the text of an error matches. */
  readonly text?: RegExp
  /** For operators: it becomes the reason of the run. Without one, it is the status with the platform's own text. */
  readonly message?: string
  readonly any?: Decision
  readonly first?: Decision
  readonly later?: Decision
  /** What it shows of a scroll that has reached the reported total, which it then ends. */
  readonly endsAtTotal?: EndEvidence
  /** What more follows from it for the run that it ends. */
  readonly cause?: FailureCause
  /** The same, if the attempt has received no page. */
  readonly firstCause?: FailureCause
  readonly source: string
}
