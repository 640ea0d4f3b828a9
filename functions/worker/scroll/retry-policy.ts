import type { Cursor } from '../../../stored/pages/page.ts'
import { sentence } from '../../runtime/format.ts'
import { nextTry, type RetryClock, type RetryState } from '../../upstream/retry.ts'
import type { FinalAction } from './outcomes.ts'
import type { ScrollFailure } from './response.ts'

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

const minPageSize = 50

/** What to do after a failure, by its decision and by how long the failures have lasted. */
export function decideRetry(
  { decision, detail, retryAfterMs }: Pick<ScrollFailure, 'decision' | 'detail' | 'retryAfterMs'>,
  { cursor, retryState: before }: FailedScroll,
  clock: RetryClock,
): RetryDecision {
  if (!('policy' in decision)) return { action: decision.action, reason: sentence(detail) }

  const { action, policy, onExhausted } = decision
  const next = nextTry(before, { policy, retryAfterMs }, clock)
  const { retryState } = next
  const { tries } = retryState.last
  const reason = sentence(tries === 1 ? detail : `${detail.replace(/\.$/, '')}, ${tries} times in a row`)
  if (next.kind === 'give-up') return { action: onExhausted, reason }
  const { waitMs } = next
  // The token would expire during the wait.
  if (clock.now + waitMs > tokenExpiresAt(cursor)) return { action: 'new-attempt', reason }
  const { pageSize } = cursor
  const halved = Math.min(pageSize, Math.max(minPageSize, Math.floor(pageSize / 2)))
  return { action: 'retry', waitMs, retryState, pageSize: action === 'retry' ? pageSize : halved }
}

/** 20 minutes from the last response (interface section 8), less half a minute for the request's own time. */
const tokenLifeMs = 20 * 60_000 - 30_000

/** When the cursor's token expires, in epoch milliseconds. Before the first response there is none. */
export const tokenExpiresAt = ({ token, respondedAt }: Cursor): number =>
  token === undefined ? Number.POSITIVE_INFINITY : respondedAt + tokenLifeMs
