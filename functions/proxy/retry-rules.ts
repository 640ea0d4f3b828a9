import type { Endpoint } from '../platform/endpoints.ts'
import { minRequestMs } from '../upstream/client.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import { type Backoff, backoffMs, parseRetryAfter } from '../upstream/retry.ts'

interface RetryRule {
  readonly statuses: readonly number[]
  readonly failures: readonly UpstreamFailureKind[]
}

/** Which outcomes are retried. A timeout is not: it has used up the caller's time. */
const rules: Readonly<Record<Endpoint['repeatable'], RetryRule>> = {
  safe: { statuses: [429, 502, 503, 504], failures: ['unreachable', 'interrupted'] },
  // 429 means that the platform did not act on the request. 503 does not mean that.
  'only-if-not-done': { statuses: [429], failures: ['unreachable'] },
}

const maxTries = 4
const backoff: Backoff = { baseMs: 200, capMs: 2_000 }

/**
 * Milliseconds to wait before the request is sent again; undefined if the outcome is final. If there is not enough time
 * for the wait that Retry-After asks for, the request is not repeated.
 */
export function retryAfterMs(
  outcome: UpstreamResponse | UpstreamFailure,
  call: { readonly repeatable: Endpoint['repeatable']; readonly tries: number; readonly leftMs: number },
  random = Math.random,
): number | undefined {
  const { statuses, failures } = rules[call.repeatable]
  const failed = outcome instanceof UpstreamFailure
  if (call.tries >= maxTries) return undefined
  if (!(failed ? failures.includes(outcome.kind) : statuses.includes(outcome.status))) return undefined
  const askedMs = failed ? undefined : parseRetryAfter(outcome.headers['retry-after'])
  const waitMs = Math.max(askedMs ?? 0, backoffMs(call.tries, backoff, random))
  return waitMs + minRequestMs <= call.leftMs ? waitMs : undefined
}

/** Time for a request with all its repeats: the configured limit, within what is left of the function's time. */
export function budgetMs(timeoutSeconds: number, functionLeftMs: number): number {
  return Math.max(1, Math.min(timeoutSeconds * 1000, functionLeftMs - 1_000, maxMs))
}

/** API Gateway waits 30 s for a function, whatever the function's own limit. */
const maxMs = 28_000
