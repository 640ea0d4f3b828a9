import { readRangeTotal, readRedirectHost } from '../../functions/platform/response-headers.ts'
import { UpstreamFailure, type UpstreamResponse } from '../../functions/upstream/exchange.ts'
import { classOf, describeClass } from '../../functions/upstream/intermediary.ts'
import type { RetryPolicy, UpstreamOutcome } from '../../functions/upstream/retry.ts'
import { isListed, redirectStatuses } from '../../functions/upstream/retry.ts'

/** How a search ended without a usable total, and whether to repeat it. */
export interface SearchFailure {
  readonly outcomes: readonly string[]
  readonly reason: SearchFailureReason
  /** Without a policy the search is not repeated. */
  readonly policy?: RetryPolicy
  /** What the search did, without its subject. */
  readonly message: string
}

/** A `refused` search would be refused again, or is of no use for partitions. After an `outage` it may succeed. */
export type SearchFailureReason = 'refused' | 'outage'

/** The most requests of one search, repeats included. */
export const maxTries = 5
const policy: RetryPolicy = {
  kind: 'outage',
  maxTries,
  maxMs: 120_000,
  wait: { baseMs: 500, capMs: 10_000 },
  whenTooLong: 'shorten',
}
const again = { reason: 'outage', policy } as const
const final = { reason: 'refused' } as const

/** The first row with the outcome applies, or else `withoutResponse`. */
const failures: readonly SearchFailure[] = [
  { outcomes: ['cache', 'rate-limit'], ...again, message: 'failed: {cause}' },
  // It may block the filter.
  { outcomes: ['firewall'], ...final, policy, message: 'failed: {cause}' },
  { outcomes: ['too-large'], ...final, message: 'failed: {cause}' },
  { outcomes: ['2xx'], ...final, policy, message: 'did not report a total (REST-Content-Range)' },
  { outcomes: ['408', '425', '429', '5xx'], ...again, message: 'responded with {status}' },
  { outcomes: ['rejected'], ...final, message: 'failed: {cause}' },
  {
    outcomes: redirectStatuses,
    ...final,
    message: 'responded with {status}, a redirect to {target} (check upstream.baseUrl)',
  },
  { outcomes: ['any'], ...final, message: 'responded with {status}: the field may not be searchable' },
]

const withoutResponse: SearchFailure = { outcomes: [], ...again, message: 'failed: {cause}' }

/** Now and then a search finds nothing although documents match. */
const unconfirmed: SearchFailure = {
  outcomes: [],
  reason: 'outage',
  policy: { ...policy, wait: { baseMs: 0, capMs: 0 } },
  message: 'found nothing, and no second search confirmed it',
}

/** Undefined if the outcome is a result. An empty one counts only after another empty one. */
export function searchFailure(
  outcome: UpstreamOutcome,
  before: { readonly foundNothing: boolean },
): SearchFailure | undefined {
  const total = totalOf(outcome)
  if (total === undefined)
    return failures.find(({ outcomes }) => isListed(outcomes, outcome)) ?? withoutResponse
  return total === 0 && !before.foundNothing ? unconfirmed : undefined
}

/** The documents that match; undefined without a usable response. */
export function totalOf(outcome: UpstreamOutcome): number | undefined {
  return 'status' in outcome && isListed(['2xx'], outcome) ? readRangeTotal(outcome.headers) : undefined
}

/** Why the search failed, as a sentence. */
export function searchMessage(
  { message }: SearchFailure,
  outcome: UpstreamOutcome,
  { redact }: { readonly redact: (text: string) => string },
): string {
  const values: Readonly<Record<string, string>> =
    outcome instanceof UpstreamFailure ? { cause: outcome.reason } : valuesOf(outcome, redact)
  return `The search ${message.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')}.`
}

function valuesOf(response: UpstreamResponse, redact: (text: string) => string) {
  const found = classOf(response)
  return {
    status: String(response.status),
    target: readRedirectHost(response.headers),
    cause: found === undefined ? '' : describeClass(response, found, redact),
  }
}
