import { backoffMs } from '../upstream/retry.ts'
import type { Failed } from './scroll-answer.ts'

/** Tries in a row that brought nothing. Kept with the run, since waits outlive a worker. */
export interface Trouble {
  readonly tries: number
  /** When the first of them failed, in epoch milliseconds. */
  readonly since: number
}

export type Remedy =
  | {
      readonly action: 'retry'
      readonly waitMs: number
      readonly trouble: Trouble
      readonly pageSize: number
    }
  | { readonly action: 'new-attempt' | 'fail'; readonly reason: string }

const backoff = { baseMs: 500, capMs: 30_000 }
const longestWaitMs = 15 * 60_000
const smallestPageSize = 50

/** What to do now, by the row's verdict and by how long it has gone on. */
export function remedy(
  { verdict, detail, retryAfterMs = 0 }: Pick<Failed, 'verdict' | 'detail' | 'retryAfterMs'>,
  { pageSize, trouble }: { readonly pageSize: number; readonly trouble: Trouble | undefined },
  { now, random = Math.random }: { readonly now: number; readonly random?: () => number },
): Remedy {
  if (!('patience' in verdict)) return { action: verdict.follows, reason: sentence(detail) }

  const { follows, patience, afterwards } = verdict
  const next = { tries: (trouble?.tries ?? 0) + 1, since: trouble?.since ?? now }
  if (next.tries >= patience.tries || now - next.since >= patience.lastsMs)
    return { action: afterwards, reason: sentence(`${detail}, ${next.tries} times in a row`) }
  return {
    action: 'retry',
    // A Retry-After of a second, again and again, must not use up in seconds a patience that is meant for minutes.
    waitMs: Math.min(longestWaitMs, Math.max(retryAfterMs, backoffMs(next.tries, backoff, random))),
    trouble: next,
    pageSize: follows === 'again-smaller' ? halved(pageSize) : pageSize,
  }
}

function halved(pageSize: number): number {
  return Math.min(pageSize, Math.max(smallestPageSize, Math.floor(pageSize / 2)))
}

export function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${/[.…]$/.test(detail) ? '' : '.'}`
}
