import { maxResultBytes } from '../http/result.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import { minRequestMs, type RedactingUpstream } from '../upstream/client.ts'
import { UpstreamFailure } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import { describeClass, intermediaryOf } from '../upstream/intermediary.ts'
import { sendWithRetries } from '../upstream/retry.ts'
import type { AllowedRequest } from './request/allowed-request.ts'
import { retryPolicyOf } from './retry-rules.ts'

/** How often a request was sent, and the last response, for the log. */
export interface Sent {
  tries: number
  status?: number
  /** Who sent the last response instead of the platform, and what to do about it. */
  intermediary?: string | undefined
}

/** Sends a request and retries it as the endpoint allows. Throws `UpstreamFailure` and `CredentialsError`. */
export async function sendAllowed(call: {
  readonly upstream: RedactingUpstream
  readonly endpoint: Endpoint
  readonly request: AllowedRequest
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly wait: (ms: number) => Promise<unknown>
  readonly sent: Sent
}): Promise<UpstreamResponse> {
  const { upstream, endpoint, request, deadline, wait, sent } = call
  const { method, area, repeatable } = endpoint
  const outcome = await sendWithRetries(
    () =>
      upstream.send({
        method,
        area,
        target: request.target,
        headers: request.headers,
        ...(request.body && { body: request.body }),
        totalMs: deadline - Date.now(),
        maxBytes: maxResultBytes,
        onceOnly: repeatable !== 'safe',
      }),
    (outcome) => {
      if ('status' in outcome) {
        const by = intermediaryOf(outcome)
        sent.status = outcome.status
        sent.intermediary = by && describeClass(outcome, by, (text) => upstream.redact(text))
      }
      if ('status' in outcome || outcome.kind !== 'not-sent') sent.tries += 1
      return retryPolicyOf(outcome, repeatable)
    },
    { now: Date.now, random: Math.random, sleep: wait, deadline: deadline - minRequestMs },
  )
  if (outcome instanceof UpstreamFailure) throw outcome
  return outcome
}
