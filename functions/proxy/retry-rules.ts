import type { Endpoint } from '../platform/endpoints.ts'
import { hasStatus, isListed, type RetryPolicy, type UpstreamOutcome } from '../upstream/retry.ts'

/** Outcomes that are retried. A timeout is not: it has used up the caller's time. */
const retried: Readonly<Record<Endpoint['repeatable'], readonly string[]>> = {
  safe: ['429', '502', '503', '504', 'unreachable', 'interrupted'],
  // 429 means that the platform did not act on the request. 503 does not mean that.
  'only-if-not-done': ['429', 'unreachable'],
}

const withinCallersTime: RetryPolicy = {
  kind: 'outage',
  maxTries: 4,
  maxMs: Number.POSITIVE_INFINITY,
  wait: { baseMs: 200, capMs: 2_000 },
  whenTooLong: 'give-up',
}

/** Undefined if the outcome is final. */
export function retryPolicyOf(
  outcome: UpstreamOutcome,
  repeatable: Endpoint['repeatable'],
): RetryPolicy | undefined {
  const list = retried[repeatable]
  // A cache does not show that nothing was done, which is of no importance where a repeat is safe.
  const isRetried =
    repeatable === 'safe' && 'status' in outcome ? hasStatus(list, outcome.status) : isListed(list, outcome)
  return isRetried ? withinCallersTime : undefined
}

/** Time for a request with all its repeats: the configured limit, within what is left of the function's time. */
export const budgetMs = (timeoutSeconds: number, functionLeftMs: number): number =>
  Math.max(1, Math.min(timeoutSeconds * 1000, functionLeftMs - 1_000, maxMs))

/** API Gateway waits 30 s for a function, whatever the function's own limit. */
const maxMs = 28_000
