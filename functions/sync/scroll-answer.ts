import type { UpstreamAnswer } from '../upstream/exchange.ts'
import { CredentialsError, UpstreamFailure } from '../upstream/failures.ts'
import { parseRetryAfter } from '../upstream/retry.ts'
import { holdsNothing, looksWhole } from './split-page.ts'

/**
 * What an answer to a scroll request means:
 * - `page`: documents, whole as far as a quick look tells
 * - `end`: the scroll is over
 * - `throttled`: the platform says that it did nothing, and to come later
 * - `not-sent`: nothing was sent
 * - `unknown`: nobody can tell whether the cursor has moved
 * - `dead-token`: the platform no longer knows this scroll
 * - `refused`: it will never answer otherwise; `detail` is in its own words
 */
export type ScrollAnswer =
  | { readonly kind: 'page'; readonly body: Buffer }
  | { readonly kind: 'end' }
  | { readonly kind: 'throttled'; readonly detail: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'not-sent'; readonly detail: string }
  | { readonly kind: 'unknown'; readonly detail: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'dead-token'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }

/** Reads an answer to the first request of a scroll (`first`) or to a later one, whose token may have died. */
export function readScrollAnswer(answer: UpstreamAnswer, first: boolean): ScrollAnswer {
  const { status, body } = answer
  const detail = `the platform answered ${status}${quoted(body)}`
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'])
  if (status === 204) return { kind: 'end' }
  if (status >= 200 && status < 300) {
    if (holdsNothing(body)) return { kind: 'end' }
    if (looksWhole(body)) return { kind: 'page', body }
    return {
      kind: 'unknown',
      detail: `the platform answered ${status} with a body that is no JSON array`,
      retryAfterMs,
    }
  }
  if (status === 429) return { kind: 'throttled', detail, retryAfterMs }
  if (status === 401 || status === 403) {
    return {
      kind: 'refused',
      detail: `${detail}, and there are no newer credentials: set valid ones in the secret`,
    }
  }
  // 3xx come from proxies on the way, 408 and 5xx from a platform under load: they pass.
  if (status < 400 || status === 408 || status >= 500) return { kind: 'unknown', detail, retryAfterMs }
  // A later request repeats what the first was allowed to ask; only its token can be wrong.
  return first ? { kind: 'refused', detail } : { kind: 'dead-token', detail }
}

/** Reads why there is no answer. What is no failure of the exchange or of the credentials is thrown again. */
export function readScrollFailure(error: unknown): ScrollAnswer {
  if (error instanceof CredentialsError) return readCredentialsError(error)
  if (!(error instanceof UpstreamFailure)) throw error
  switch (error.kind) {
    case 'unreachable':
      return { kind: 'not-sent', detail: 'the platform could not be reached' }
    case 'timeout':
      return { kind: 'unknown', detail: 'the platform did not answer in time', retryAfterMs: undefined }
    case 'interrupted':
      return {
        kind: 'unknown',
        detail: 'the connection broke before the answer was whole',
        retryAfterMs: undefined,
      }
    case 'too-large':
      return { kind: 'unknown', detail: 'the answer is larger than a page can be', retryAfterMs: undefined }
  }
}

function readCredentialsError({ kind, message, cause }: CredentialsError): ScrollAnswer {
  if (kind === 'not-set') {
    return {
      kind: 'refused',
      detail: 'the credentials are not set yet: put them into the secret and start again',
    }
  }
  // With a cause the store of the secrets failed, which passes; without, the secret itself is wrong.
  return cause
    ? { kind: 'not-sent', detail: 'the credentials could not be read' }
    : { kind: 'refused', detail: message }
}

/** The platform's own words, short and on one line. */
function quoted(body: Buffer): string {
  const text = body
    .toString('utf8', 0, 600)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
  if (text === '') return ''
  return `: ${text.length > 300 ? `${text.slice(0, 300).toWellFormed()}…` : text}`
}
