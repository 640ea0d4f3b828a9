import { MalformedPage } from '../../documents/json-scalars.ts'
import { CredentialsError, type CredentialsErrorKind, UpstreamFailure } from '../../upstream/errors.ts'
import type { UpstreamResponse } from '../../upstream/exchange.ts'
import { parseRetryAfter } from '../../upstream/retry.ts'
import { bodyKind } from './body-kind.ts'
import { decisionOf, messageOf, outcomeOfAnswer, type RequestKind } from './decision.ts'
import type { Decision, FailureDecision, OutcomeName } from './outcomes.ts'

/** The outcome of a scroll request, by the table of outcomes. */
export type ScrollResponse =
  | { readonly kind: 'page'; readonly answer: UpstreamResponse }
  | { readonly kind: 'end'; readonly answer: UpstreamResponse }
  | ScrollFailure

export interface ScrollFailure {
  readonly kind: 'failure'
  readonly outcome: OutcomeName
  readonly decision: FailureDecision
  /** For operators. */
  readonly detail: string
  readonly retryAfterMs: number | undefined
}

export interface AnswerContext {
  readonly request: RequestKind
  /** Epoch milliseconds, for `Retry-After` dates. */
  readonly now: number
  /** Removes credentials and tokens from the platform's text. */
  readonly redact: (text: string) => string
}

export function readScrollAnswer(
  answer: UpstreamResponse,
  { request, now, redact }: AnswerContext,
): ScrollResponse {
  const { status, body, headers } = answer
  // Successful answers contain customers' data, which is never quoted.
  const text = status < 300 ? '' : shortText(body, redact)
  const outcome = outcomeOfAnswer({ status, body: bodyKind(body), text })
  const decision = decisionOf(outcome, request)
  if (!isFailure(decision)) return { kind: decision.action === 'end' ? 'end' : 'page', answer }
  const detail = messageOf(outcome, {
    status: String(status),
    answer: text === '' ? String(status) : `${status}: ${text}`,
  })
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now)
  return { kind: 'failure', outcome, decision, detail, retryAfterMs }
}

/** Reads why there is no answer. Errors that are neither of the exchange nor of the credentials are thrown again. */
export function readScrollFailure(error: unknown, request: RequestKind): ScrollFailure {
  if (error instanceof UpstreamFailure) {
    const outcome = error.kind === 'not-sent' ? 'unreachable' : error.kind
    return failure(outcome, { request, cause: error.reason })
  }
  if (error instanceof MalformedPage) return failure('malformed page', { request, cause: error.message })
  if (!(error instanceof CredentialsError)) throw error
  return failure(credentialOutcomes[error.kind], { request, cause: error.message })
}

const credentialOutcomes = {
  'not-set': 'credentials not set',
  malformed: 'credentials malformed',
  unreadable: 'credentials unreadable',
} as const satisfies Record<CredentialsErrorKind, OutcomeName>

function failure(
  outcome: OutcomeName,
  { request, cause }: { request: RequestKind; cause: string },
): ScrollFailure {
  const decision = decisionOf(outcome, request)
  if (!isFailure(decision)) throw new Error(`'${outcome}' is not a failure.`)
  const detail = messageOf(outcome, { cause })
  return { kind: 'failure', outcome, decision, detail, retryAfterMs: undefined }
}

function isFailure(decision: Decision): decision is FailureDecision {
  return decision.action !== 'keep-page' && decision.action !== 'end'
}

const maxReadBytes = 4_096
const maxQuotedLength = 300

/** The platform's own text, short and on one line. */
function shortText(body: Buffer, redact: AnswerContext['redact']): string {
  const read = body.toString('utf8', 0, maxReadBytes).replaceAll(/[\s\p{C}]+/gu, ' ')
  // A credential that is cut in two would not be recognized.
  const whole = body.length > maxReadBytes ? read.slice(0, read.lastIndexOf(' ') + 1) : read
  const text = redact(whole).trim()
  return text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength).toWellFormed()}…` : text
}
