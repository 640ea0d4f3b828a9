import { MalformedPage } from '../../documents/json-scalars.ts'
import { CredentialsError, UpstreamFailure } from '../../upstream/errors.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { parseRetryAfter } from '../../upstream/retry.ts'
import { bodyKind } from './body-kind.ts'
import {
  detailOf,
  type OutcomeName,
  outcomeOfAnswer,
  type Progress,
  type Setback,
  type Verdict,
  verdictOf,
} from './outcomes.ts'

/** What came of a scroll request, by the table of outcomes. */
export type ScrollResponse = ScrollProgress | ScrollFailure

/** A page, or the end. */
export interface ScrollProgress {
  readonly outcome: OutcomeName
  readonly verdict: Progress
  readonly answer: UpstreamResponse
}

export interface ScrollFailure {
  readonly outcome: OutcomeName
  readonly verdict: Setback
  /** For the owner. */
  readonly detail: string
  readonly retryAfterMs: number | undefined
}

/** An answer is read as one to the request that opens a scroll (`first`) or to a later one, at a time. */
export interface Asked {
  readonly first: boolean
  /** Epoch milliseconds, from which a `Retry-After` date counts. */
  readonly now: number
  /** Takes keys and tokens out of what the platform says. */
  readonly redact: (text: string) => string
}

export function readScrollAnswer(answer: UpstreamResponse, { first, now, redact }: Asked): ScrollResponse {
  const { status, body } = answer
  const outcome = outcomeOfAnswer(status, bodyKind(body))
  const verdict = verdictOf(outcome, first)
  if (isProgress(verdict)) return { outcome, verdict, answer }
  const detail = detailOf(outcome, { status: String(status), answer: `${status}${quoted(body, redact)}` })
  return { outcome, verdict, detail, retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now) }
}

/** Reads why there is no answer. What is no failure of the exchange or of the credentials is thrown again. */
export function readScrollFailure(error: unknown, first: boolean): ScrollFailure {
  if (error instanceof UpstreamFailure)
    return failure(error.kind === 'not-sent' ? 'unreachable' : error.kind, first)
  if (error instanceof MalformedPage) return failure('malformed page', first, error.message)
  if (!(error instanceof CredentialsError)) throw error
  return failure(credentialOutcomes[error.kind], first, error.message)
}

const credentialOutcomes = {
  'not-set': 'keys not set',
  malformed: 'keys malformed',
  unreadable: 'keys unread',
} as const satisfies Record<CredentialsError['kind'], OutcomeName>

export function hasFailed(came: ScrollResponse): came is ScrollFailure {
  return !isProgress(came.verdict)
}

function failure(outcome: OutcomeName, first: boolean, cause = ''): ScrollFailure {
  const verdict = verdictOf(outcome, first)
  if (isProgress(verdict)) throw new Error(`'${outcome}' is no failure.`)
  return { outcome, verdict, detail: detailOf(outcome, { cause }), retryAfterMs: undefined }
}

function isProgress(verdict: Verdict): verdict is Progress {
  return verdict.action === 'keep-page' || verdict.action === 'end'
}

const readBytes = 4_096
const quotedLength = 300

/** The platform's own words, short and on one line. */
function quoted(body: Buffer, redact: Asked['redact']): string {
  const read = body.toString('utf8', 0, readBytes).replaceAll(/[\s\p{C}]+/gu, ' ')
  // A key that is cut in two would not be known for one.
  const whole = body.length > readBytes ? read.replace(/\S*$/, '') : read
  const text = redact(whole).trim()
  if (text === '') return ''
  return `: ${text.length > quotedLength ? `${text.slice(0, quotedLength).toWellFormed()}…` : text}`
}
