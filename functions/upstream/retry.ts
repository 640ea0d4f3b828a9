import { readRetryAfterMs } from '../platform/response-headers.ts'
import { UpstreamFailure, type UpstreamResponse } from './exchange.ts'
import { classOf } from './intermediary.ts'

/** How the failures that a table of outcomes assigns to it are retried. */
export interface RetryPolicy {
  /** Consecutive failures count by kind: a platform that throttled for a long time may still have an outage. */
  readonly kind: FailureKind
  readonly maxTries: number
  /** From the first failure of the kind to the last repeat. */
  readonly maxMs: number
  /** Doubles from `baseMs` with each try and never exceeds `capMs`, or stays at about `meanMs`. */
  readonly wait: { readonly baseMs: number; readonly capMs: number } | { readonly meanMs: number }
  /** What follows a wait that is longer than the time that is left: one repeat at its end, or none. */
  readonly whenTooLong: 'shorten' | 'give-up'
}

/** An outage, and a limit without a time, are given up sooner than throttling, in which the platform asks to wait. */
export type FailureKind = 'outage' | 'throttled' | 'limited'

/** Consecutive failed requests. */
export interface RetryState {
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
  /** The most recent ones, which are of the same kind. */
  readonly last: { readonly kind: FailureKind; readonly tries: number; readonly since: number }
}

export type NextTry =
  | { readonly kind: 'retry'; readonly waitMs: number; readonly retryState: RetryState }
  | { readonly kind: 'give-up'; readonly retryState: RetryState }

export interface RetryClock {
  readonly now: number
  readonly random: () => number
  /** When the last repeat must be sent, in epoch milliseconds. */
  readonly deadline?: number
}

/** Failures that last longer than this, whatever their kinds, are given up. */
const maxFailingMs = 25 * 60_000

/** When failures are given up that do not end, at the latest. In epoch milliseconds. */
export const givenUpAt = ({ since }: RetryState): number => since + maxFailingMs

/** Whether and when a failed request is repeated. `before` has the failures since the last success. */
export function nextTry(
  before: RetryState | undefined,
  { policy, retryAfterMs = 0 }: { readonly policy: RetryPolicy; readonly retryAfterMs?: number | undefined },
  { now, random, deadline = Number.POSITIVE_INFINITY }: RetryClock,
): NextTry {
  const { kind, maxTries, maxMs, wait, whenTooLong } = policy
  const { tries, since } = before?.last.kind === kind ? before.last : { tries: 0, since: now }
  const last = { kind, tries: tries + 1, since }
  const retryState = { since: before?.since ?? now, last }
  const leftMs = Math.min(since + maxMs, givenUpAt(retryState), deadline) - now
  if (last.tries >= maxTries || leftMs <= 0) return { kind: 'give-up', retryState }
  // A Retry-After of zero must not use up in seconds a budget of minutes.
  const waitMs = Math.max(retryAfterMs, waitAfter(last.tries, wait, random))
  if (waitMs > leftMs && whenTooLong === 'give-up') return { kind: 'give-up', retryState }
  return { kind: 'retry', waitMs: Math.min(waitMs, leftMs), retryState }
}

/**
 * With full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"), or up to a quarter more or less than the
 * mean, so that many clients do not retry at the same time.
 */
function waitAfter(tries: number, wait: RetryPolicy['wait'], random: () => number): number {
  if ('meanMs' in wait) return Math.round(wait.meanMs * (0.75 + random() / 2))
  return Math.round(random() * Math.min(wait.capMs, wait.baseMs * 2 ** Math.min(30, tries - 1)))
}

/** How a request ended. Errors that do not come from the platform are thrown. */
export type UpstreamOutcome = UpstreamResponse | UpstreamFailure

/**
 * True if a list of statuses (`429`), classes of them (`5xx`, `any`), classes of responses (`cache`, `rate-limit`) and
 * kinds of failures has the outcome. The status of a response that has a class matches only `any`.
 */
export function isListed(list: readonly string[], outcome: UpstreamOutcome): boolean {
  if (outcome instanceof UpstreamFailure) return list.includes(outcome.kind)
  const by = classOf(outcome)
  return by === undefined ? hasStatus(list, outcome.status) : list.includes(by) || list.includes('any')
}

/** True if a list of statuses and classes of them has the status. */
export const hasStatus = (list: readonly string[], status: number): boolean =>
  [String(status), `${Math.floor(status / 100)}xx`, 'any'].some((pattern) => list.includes(pattern))

/** The interface has no redirects (RFC 9110 section 15.4). */
export const redirectStatuses = ['301', '302', '303', '307', '308'] as const

/** Sends a request until its outcome has no policy or the policy gives up, and returns the last outcome. */
export async function sendWithRetries(
  send: () => Promise<UpstreamResponse>,
  policyOf: (outcome: UpstreamOutcome) => RetryPolicy | undefined,
  clock: {
    now(): number
    random(): number
    sleep(ms: number): Promise<unknown>
    /** Epoch milliseconds. */
    readonly deadline: number
  },
): Promise<UpstreamOutcome> {
  let before: RetryState | undefined
  for (;;) {
    const outcome = await send().catch(asFailure)
    const policy = policyOf(outcome)
    if (!policy) return outcome
    const now = clock.now()
    const retryAfterMs = 'headers' in outcome ? readRetryAfterMs(outcome.headers, now) : undefined
    const random = () => clock.random()
    const next = nextTry(before, { policy, retryAfterMs }, { now, random, deadline: clock.deadline })
    if (next.kind === 'give-up') return outcome
    before = next.retryState
    if (next.waitMs > 0) await clock.sleep(next.waitMs)
  }
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  throw error
}
