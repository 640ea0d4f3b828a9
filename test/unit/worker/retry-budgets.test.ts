import { expect, it } from 'vitest'
import type { RetryState } from '../../../functions/state/retry-state.ts'
import { type Setback, verdictOf } from '../../../functions/worker/scroll/outcomes.ts'
import { readScrollAnswer } from '../../../functions/worker/scroll/response.ts'
import { remedy } from '../../../functions/worker/scroll/retry-policy.ts'

// The detail becomes a run's reason in DynamoDB and JSON: half of a surrogate pair is no character.
it('does not cut the platform’s words within a character', () => {
  const body = Buffer.from(`${'x'.repeat(299)}😀 and more`)
  const read = readScrollAnswer(
    { status: 400, headers: {}, body },
    { first: true, now: 0, redact: (text) => text },
  )
  expect('detail' in read && read.detail.isWellFormed()).toBe(true)
})

// 429 with `Retry-After: 1` (or 0, or a date that has passed) uses up all 15 tries in 15 seconds (in none).
it.each([0, 1_000])(
  'has minutes of budget with a platform that throttles and says %i ms each time',
  (retryAfterMs) => {
    let retryState: RetryState | undefined
    let now = 1_800_000_000_000
    const began = now
    for (;;) {
      const next = remedy(
        {
          verdict: verdictOf('too many requests', false) as Setback,
          detail: 'the platform answered 429',
          retryAfterMs,
        },
        { pageSize: 1000, retryState },
        { now, random: () => 0.5 },
      )
      if (next.action !== 'retry') break
      retryState = next.retryState
      now += next.waitMs
    }
    expect(now - began).toBeGreaterThan(60_000)
  },
)
