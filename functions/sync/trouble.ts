import { backoffMs } from '../upstream/retry.ts'
import type { ScrollAnswer } from './scroll-answer.ts'

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
  | { readonly action: 'new-attempt'; readonly reason: string }
  | { readonly action: 'fail'; readonly reason: string }

type Failed = Exclude<ScrollAnswer, { kind: 'page' } | { kind: 'end' }>

/** A platform that throttles is alive and asks for patience; any other trouble that lasts is an outage. */
const budgets = {
  throttled: { tries: 15, lastsMs: 15 * 60_000 },
  'not-sent': { tries: 8, lastsMs: 4 * 60_000 },
  unknown: { tries: 8, lastsMs: 4 * 60_000 },
} as const

const backoff = { baseMs: 500, capMs: 30_000 }
const longestWaitMs = 15 * 60_000
const smallestPageSize = 50

/** What to do after a scroll request that brought no page. */
export function remedy(
  failed: Failed,
  scroll: { readonly first: boolean; readonly pageSize: number; readonly trouble: Trouble | undefined },
  { now, random = Math.random }: { readonly now: number; readonly random?: () => number },
): Remedy {
  const { first, pageSize, trouble } = scroll
  if (failed.kind === 'refused') return { action: 'fail', reason: sentence(failed.detail) }
  if (failed.kind === 'dead-token') return { action: 'new-attempt', reason: sentence(failed.detail) }

  const next = { tries: (trouble?.tries ?? 0) + 1, since: trouble?.since ?? now }
  const budget = budgets[failed.kind]
  if (next.tries >= budget.tries || now - next.since >= budget.lastsMs) {
    const reason = sentence(`${failed.detail}, ${next.tries} times in a row`)
    // Another scroll would meet the same throttle, name or first page; a cursor that hangs is left behind by it.
    return { action: first || failed.kind !== 'unknown' ? 'fail' : 'new-attempt', reason }
  }
  const asked = failed.kind === 'not-sent' ? undefined : failed.retryAfterMs
  return {
    action: 'retry',
    // A Retry-After of a second, again and again, must not use up in seconds a patience that is meant for minutes.
    waitMs: Math.min(longestWaitMs, Math.max(asked ?? 0, backoffMs(next.tries, backoff, random))),
    trouble: next,
    // A first page can be too much for the platform; the size cannot change later (interface section 4.5).
    pageSize: first && failed.kind === 'unknown' ? halved(pageSize) : pageSize,
  }
}

function halved(pageSize: number): number {
  return Math.min(pageSize, Math.max(smallestPageSize, Math.floor(pageSize / 2)))
}

function sentence(detail: string): string {
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${/[.…]$/.test(detail) ? '' : '.'}`
}
