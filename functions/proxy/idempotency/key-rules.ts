import { CredentialsError, UpstreamFailure } from '../../upstream/exchange.ts'
import { UnusableResponse } from '../response/relay.ts'

/**
 * What the outcome of the first request means for its key: the response is kept for repeats, the key is free since the
 * platform did nothing, or the outcome is unknown.
 */
export type KeyRule = 'keep' | 'free' | 'unknown'

/** Statuses that mean that the platform did nothing. */
const nothingDone = [401, 403, 429]

export function afterResponse(status: number): KeyRule {
  if (nothingDone.includes(status)) return 'free'
  return status === 408 || status >= 500 ? 'unknown' : 'keep'
}

/** An error may have happened after the request was sent, unless its kind rules that out. */
export function afterError(error: unknown): KeyRule {
  // There were no credentials to send, or the platform had rejected the ones that were sent.
  if (error instanceof CredentialsError) return 'free'
  if (error instanceof UpstreamFailure && !error.sent) return 'free'
  // A response that cannot be relayed, such as one whose body cannot be decoded.
  return error instanceof UnusableResponse && nothingDone.includes(error.upstreamStatus) ? 'free' : 'unknown'
}
