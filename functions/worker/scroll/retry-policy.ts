import type { Cursor } from '../../state/pages/page.ts'
import type { RetryState } from '../../state/run/retry-state.ts'
import { backoffMs } from '../../upstream/retry.ts'
import { type FinalAction, maxFailingMs, type RetryPolicy } from './outcomes.ts'
import type { ScrollFailure } from './response.ts'
import { tokenExpiresAt } from './token-life.ts'

export type RetryDecision =
  | {
      readonly action: 'retry'
      readonly waitMs: number
      readonly retryState: RetryState
      readonly pageSize: number
    }
  | { readonly action: FinalAction; readonly reason: string }

/** Where a scroll is when a request fails. */
export interface FailedScroll {
  readonly cursor: Cursor
  readonly retryState: RetryState | undefined
}

const backoff = { baseMs: 500, capMs: 30_000 }
const minute = 60_000
const minPageSize = 50

/** What to do after a failure, by its decision and by how long the failures have lasted. */
export function decideRetry(
  { decision, detail, retryAfterMs = 0 }: Pick<ScrollFailure, 'decision' | 'detail' | 'retryAfterMs'>,
  { cursor, retryState }: FailedScroll,
  { now, random }: { readonly now: number; readonly random: () => number },
): RetryDecision {
  if (!('policy' in decision)) return { action: decision.action, reason: sentence(detail) }

  const { action, policy, onExhausted } = decision
  const next = stateAfter(retryState, policy, now)
  const { tries, since } = next.last
  const reason = sentence(`${detail}, ${tries} times in a row`)
  const leftMs = Math.min(since + policy.maxMs, next.since + maxFailingMs) - now
  if (tries >= policy.maxTries || leftMs <= 0) return { action: onExhausted, reason }
  // A Retry-After of zero must not use up in seconds a budget of minutes.
  const waitMs = Math.min(leftMs, Math.max(retryAfterMs, policyWaitMs(policy, tries, random)))
  // The token would expire during the wait.
  if (now + waitMs > tokenExpiresAt(cursor)) return { action: 'new-attempt', reason }
  const { pageSize } = cursor
  return {
    action: 'retry',
    waitMs,
    retryState: next,
    pageSize: action === 'retry-smaller' ? halved(pageSize) : pageSize,
  }
}

/** Failures of another kind do not count: a platform that throttled for long may still have an outage. */
function stateAfter(before: RetryState | undefined, { kind }: RetryPolicy, now: number): RetryState {
  const { tries, since } = before?.last.kind === kind ? before.last : { tries: 0, since: now }
  return { since: before?.since ?? now, last: { kind, tries: tries + 1, since } }
}

function policyWaitMs({ wait }: RetryPolicy, tries: number, random: () => number): number {
  // 45 to 75 seconds, so that runs that wait together do not return together.
  return wait === 'minute' ? Math.round(minute * (0.75 + random() / 2)) : backoffMs(tries, backoff, random)
}

function halved(pageSize: number): number {
  return Math.min(pageSize, Math.max(minPageSize, Math.floor(pageSize / 2)))
}

export function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${/[.…]$/.test(detail) ? '' : '.'}`
}
