import { MalformedPage } from '../../../stored/documents/json-scalars.ts'
import { readMediaType, readRedirectHost, readRetryAfterMs } from '../../platform/response-headers.ts'
import { DecodingError } from '../../upstream/content-codings.ts'
import type { CredentialsErrorKind, UpstreamResponse } from '../../upstream/exchange.ts'
import { CredentialsError, UpstreamFailure } from '../../upstream/exchange.ts'
import { describeHtmlPage, isHtmlPage } from '../../upstream/html-page.ts'
import { classOf, describeClass, quotedResponse } from '../../upstream/intermediary.ts'
import { quotedBody } from '../../upstream/quote.ts'
import { TooManyDocuments } from '../page/store.ts'
import { pageKinds } from './body-kind.ts'
import { decisionOf, messageOf, outcomeOfResponse, type RequestKind } from './decision.ts'
import type { Decision, FailureDecision, OutcomeName } from './outcomes.ts'

/** The outcome of a scroll request, by the table of outcomes. */
export type ScrollResponse =
  | { readonly kind: 'page' | 'end'; readonly response: UpstreamResponse }
  | ScrollFailure

export interface ScrollFailure {
  readonly kind: 'failure'
  readonly outcome: OutcomeName
  readonly decision: FailureDecision
  /** For operators. */
  readonly detail: string
  readonly retryAfterMs: number | undefined
  /** Of a malformed page. */
  readonly signature?: string | undefined
}

export interface ResponseContext {
  readonly request: RequestKind
  /** Epoch milliseconds, for `Retry-After` dates. */
  readonly now: number
  /** Removes credentials and tokens from the platform's text. */
  readonly redact: (text: string) => string
}

export function readScrollResponse(
  response: UpstreamResponse,
  { request, now, redact }: ResponseContext,
): ScrollResponse {
  const { status, body, headers } = response
  // Successful responses contain customers' data, which is never quoted.
  const text = status < 300 ? '' : quotedBody(body, redact)
  const by = classOf(response)
  const retryAfterMs = readRetryAfterMs(headers, now)
  const kind = pageKinds[request](body)
  const outcome = outcomeOfResponse({ status, body: kind, text, by, retryAfterMs })
  const decision = decisionOf(outcome, request)
  if (!isFailure(decision)) return { kind: decision.action === 'end' ? 'end' : 'page', response }
  const detail = messageOf(outcome, {
    status: String(status),
    response: describeError(response, redact),
    body: describeBody(response, redact),
    target: readRedirectHost(headers),
    class: by === undefined ? '' : describeClass(response, by, redact),
  })
  return { kind: 'failure', outcome, decision, detail, retryAfterMs }
}

/** Reads why there is no response. Errors that are neither of the exchange nor of the credentials are thrown again. */
export function readScrollFailure(error: unknown, request: RequestKind): ScrollFailure {
  if (error instanceof UpstreamFailure)
    return failure(outcomeOfFailure(error), { request, cause: error.reason })
  if (error instanceof TooManyDocuments)
    return failure('too many documents', { request, cause: error.message })
  if (error instanceof MalformedPage)
    return {
      ...failure('malformed page', { request, cause: error.message.replace(/\.$/, '') }),
      signature: error.signature,
    }
  if (!(error instanceof CredentialsError)) throw error
  return failure(credentialOutcomes[error.kind], { request, cause: error.message })
}

/** A compressed body that is cut off is incomplete, like one whose connection broke. */
export function outcomeOfFailure({ kind, cause }: UpstreamFailure): OutcomeName {
  if (kind === 'not-sent') return 'unreachable'
  return cause instanceof DecodingError && cause.kind === 'cut-off' ? 'interrupted' : kind
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

const isFailure = (decision: Decision): decision is FailureDecision =>
  decision.action !== 'keep-page' && decision.action !== 'end'

/** The status and what the platform, or a server before it, says about it. */
function describeError(response: UpstreamResponse, redact: ResponseContext['redact']): string {
  const { status, body } = response
  if (isHtmlPage(response)) return `${status} and ${describeHtmlPage(body, redact)}`
  return quotedResponse(status, body, redact)
}

/** The type of a body that is not a page. Only HTML is quoted: another body may be of a customer. */
function describeBody(response: UpstreamResponse, redact: ResponseContext['redact']): string {
  const { headers, body } = response
  const type = readMediaType(headers)
  if (isHtmlPage(response)) return `${describeHtmlPage(body, redact)}, which the platform does not send`
  const isKnown = /^[a-z]+\/[\w.+-]{1,60}$/.test(type) && !/[/+]json$/.test(type)
  return isKnown ? `${type}, not a JSON array` : 'a body that is not a JSON array'
}
