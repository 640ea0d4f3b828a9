import type { RetryState } from '../../state/retry-state.ts'
import { backoffMs } from '../../upstream/retry.ts'
import type { ScrollFailure } from './response.ts'

export type Remedy =
  | {
      readonly action: 'retry'
      readonly waitMs: number
      readonly retryState: RetryState
      readonly pageSize: number
    }
  | { readonly action: 'new-attempt' | 'fail'; readonly reason: string }

const backoff = { baseMs: 500, capMs: 30_000 }
const maxWaitMs = 15 * 60_000
const minPageSize = 50

/** What to do now, by the row's verdict and by how long it has gone on. */
export function remedy(
  { verdict, detail, retryAfterMs = 0 }: Pick<ScrollFailure, 'verdict' | 'detail' | 'retryAfterMs'>,
  { pageSize, retryState }: { readonly pageSize: number; readonly retryState: RetryState | undefined },
  { now, random = Math.random }: { readonly now: number; readonly random?: () => number },
): Remedy {
  if (!('budget' in verdict)) return { action: verdict.action, reason: sentence(detail) }

  const { action, budget, onExhausted } = verdict
  const next = { tries: (retryState?.tries ?? 0) + 1, since: retryState?.since ?? now }
  if (next.tries >= budget.tries || now - next.since >= budget.lastsMs)
    return { action: onExhausted, reason: sentence(`${detail}, ${next.tries} times in a row`) }
  return {
    action: 'retry',
    // A Retry-After of a second, again and again, must not use up in seconds a budget that is meant for minutes.
    waitMs: Math.min(maxWaitMs, Math.max(retryAfterMs, backoffMs(next.tries, backoff, random))),
    retryState: next,
    pageSize: action === 'again-smaller' ? halved(pageSize) : pageSize,
  }
}

function halved(pageSize: number): number {
  return Math.min(pageSize, Math.max(minPageSize, Math.floor(pageSize / 2)))
}

export function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${/[.…]$/.test(detail) ? '' : '.'}`
}
