import { maxResultBytes } from '../http/result.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import type { Upstream } from '../upstream/client.ts'
import { UpstreamFailure } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import type { AllowedRequest } from './request/allowed-request.ts'
import { retryAfterMs } from './retry-rules.ts'

/** How often a request was sent, and the last status of the platform, for the log. */
export interface Sent {
  tries: number
  status?: number
}

/** Sends a request and retries it as the endpoint allows. Throws `UpstreamFailure` and `CredentialsError`. */
export async function sendWithRetries(call: {
  readonly upstream: Upstream
  readonly endpoint: Endpoint
  readonly request: AllowedRequest
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly wait: (ms: number) => Promise<unknown>
  readonly sent: Sent
}): Promise<UpstreamResponse> {
  const { upstream, endpoint, request, deadline, wait, sent } = call
  const { repeatable } = endpoint
  for (;;) {
    const outcome = await upstream
      .send({
        method: endpoint.method,
        area: endpoint.area,
        target: request.target,
        headers: request.headers,
        ...(request.body && { body: request.body }),
        totalMs: deadline - Date.now(),
        maxBytes: maxResultBytes,
        onceOnly: repeatable !== 'safe',
      })
      .catch(asFailure)
    if (outcome instanceof UpstreamFailure && outcome.kind === 'not-sent') throw outcome
    sent.tries += 1
    if (!(outcome instanceof UpstreamFailure)) sent.status = outcome.status
    const waitMs = retryAfterMs(outcome, { repeatable, tries: sent.tries, leftMs: deadline - Date.now() })
    if (waitMs !== undefined) await wait(waitMs)
    else if (outcome instanceof UpstreamFailure) throw outcome
    else return outcome
  }
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  throw error
}
