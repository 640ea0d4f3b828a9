import type { Endpoint } from '../platform/endpoints.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import { type Backoff, backoffMs, parseRetryAfter } from '../upstream/retry.ts'

interface RepeatRule {
  readonly statuses: readonly number[]
  readonly failures: readonly UpstreamFailureKind[]
}

/** What is worth another try. A time-out is not: it has used up the caller's time. */
const rules: Readonly<Record<Endpoint['repeatable'], RepeatRule>> = {
  safe: { statuses: [429, 502, 503, 504], failures: ['unreachable', 'interrupted'] },
  // By 429 the platform says that it did nothing, which 503 does not.
  'only-if-not-done': { statuses: [429], failures: ['unreachable'] },
}

const maxTries = 4
const backoff: Backoff = { baseMs: 200, capMs: 2_000 }
/** A try that has less than this ahead of it is not worth sending. */
const minTryMs = 250

/**
 * Milliseconds to wait before the call is sent again; undefined if what came of it is final.
 * A Retry-After is kept to the letter, or the call is not repeated at all.
 */
export function repeatAfterMs(
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
  return waitMs + minTryMs <= call.leftMs ? waitMs : undefined
}

/** Time for a call with all its repeats: the owner's limit, within what is left of the function's own. */
export function budgetMs(timeoutSeconds: number, functionLeftMs: number): number {
  return Math.max(1, Math.min(timeoutSeconds * 1000, functionLeftMs - 1_000, maxMs))
}

/** API Gateway gives a function up after 30 s, whatever the function's own limit. */
const maxMs = 28_000
