import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FailureKind, RetryState } from '../../../../functions/upstream/retry.ts'
import { decisionOf, type RequestKind } from '../../../../functions/worker/scroll/decision.ts'
import type { FailureDecision, OutcomeName } from '../../../../functions/worker/scroll/outcomes.ts'
import { decideRetry, type FailedScroll } from '../../../../functions/worker/scroll/retry-policy.ts'
import { openingCursor } from '../../../../stored/pages/page.ts'
import { runsToTry } from '../../../case-count.ts'

/** One outcome of each kind. */
const outcomes = {
  throttled: 'too many requests',
  'no scroll': 'too many scrolls',
  'not sent': 'unreachable',
  unknown: 'timeout',
  refused: 'request refused',
} as const satisfies Record<string, OutcomeName>
type Kind = keyof typeof outcomes

const failure = (kind: Kind, request: RequestKind, retryAfterMs?: number) => ({
  decision: decisionOf(outcomes[kind], request) as FailureDecision,
  detail: 'the platform responded so',
  retryAfterMs,
})

const minute = 60_000
const now = 1_800_000_000_000
const slowest = { now, random: () => 1 }
const scroll = (change: { pageSize?: number; retryState?: RetryState } = {}): FailedScroll => ({
  cursor: openingCursor(change.pageSize ?? 1000),
  retryState: change.retryState,
})
const failedTimes = (tries: number, sinceMs = 0, kind: FailureKind = 'outage'): RetryState => {
  const since = now - sinceMs
  return { since, last: { kind, tries, since } }
}
const throttledTimes = (tries: number, sinceMs: number) => failedTimes(tries, sinceMs, 'throttled')

describe('a permanent failure', () => {
  it.each([
    ['refused', 'first', 'fail'],
    ['refused', 'later', 'new-attempt'],
  ] as const)('is not retried: %s, %s request: %s', (kind, request, action) => {
    expect(decideRetry(failure(kind, request), scroll(), slowest)).toEqual({
      action,
      reason: 'The platform responded so.',
    })
  })

  it.each([
    ['ends', 'ends.', 'Ends.'],
    ['is cut', 'is cut…', 'Is cut…'],
    ['is open', 'is open', 'Is open.'],
  ])('has a reason that is a sentence if its detail %s', (_, detail, reason) => {
    expect(decideRetry({ ...failure('refused', 'first'), detail }, scroll(), slowest)).toMatchObject({
      reason,
    })
  })
})

describe('a temporary failure', () => {
  it.each<[Kind, RequestKind, number, number]>([
    ['throttled', 'first', 500, 1000],
    ['throttled', 'later', 500, 1000],
    ['no scroll', 'first', 75_000, 1000],
    ['no scroll', 'later', 75_000, 1000],
    ['not sent', 'first', 500, 1000],
    ['not sent', 'later', 500, 1000],
    ['unknown', 'first', 500, 500],
    ['unknown', 'later', 500, 1000],
  ])('is retried: %s, %s request after %i ms with a _size of %i', (kind, request, ...[waitMs, pageSize]) => {
    expect(decideRetry(failure(kind, request), scroll(), slowest)).toEqual({
      action: 'retry',
      waitMs,
      retryState: failedTimes(1, 0, kind === 'throttled' || kind === 'no scroll' ? 'throttled' : 'outage'),
      pageSize,
    })
  })

  it.each([
    [1000, 500],
    [501, 250],
    [120, 60],
    [99, 50],
    [51, 50],
    [50, 50],
    [49, 49],
    [1, 1],
  ])('after a first page of %i leads to one of %i', (pageSize, expected) => {
    expect(decideRetry(failure('unknown', 'first'), scroll({ pageSize }), slowest)).toMatchObject({
      pageSize: expected,
    })
  })

  it.each([
    [0, 500],
    [1, 1_000],
    [2, 2_000],
    [4, 8_000],
    [6, 30_000],
  ])('that follows %i others waits up to %i ms', (tries, waitMs) => {
    const failed = scroll({ retryState: failedTimes(tries) })
    expect(decideRetry(failure('not sent', 'later'), failed, slowest)).toMatchObject({ waitMs })
    const fastest = { now, random: () => 0 }
    expect(decideRetry(failure('not sent', 'later'), failed, fastest)).toMatchObject({ waitMs: 0 })
  })

  it.each([
    [0, 45_000],
    [0.5, 60_000],
    [1, 75_000],
  ])('for lack of a free scroll waits about a minute (%d): %i ms', (chance, waitMs) => {
    for (const tries of [0, 5]) {
      const failed = scroll({ retryState: failedTimes(tries) })
      const decision = decideRetry(failure('no scroll', 'first'), failed, { now, random: () => chance })
      expect(decision).toMatchObject({ action: 'retry', waitMs })
    }
  })

  it.each([
    [3_000, 3_000],
    [10 * minute, 10 * minute],
    [25 * minute, 25 * minute],
    [25 * minute + 1, 25 * minute],
    [Number.MAX_SAFE_INTEGER, 25 * minute],
  ])('that throttles waits as its Retry-After asks, %i ms, and at most 25 minutes', (asked, waitMs) => {
    expect(decideRetry(failure('throttled', 'first', asked), scroll(), slowest)).toMatchObject({ waitMs })
  })

  it('that throttles many times waits at least for its backoff, however short its Retry-After', () => {
    const failed = scroll({ retryState: throttledTimes(6, minute) })
    expect(decideRetry(failure('throttled', 'later', 1), failed, slowest)).toMatchObject({ waitMs: 30_000 })
  })

  it('counts the failures before it', () => {
    const retryState = failedTimes(3, minute)
    expect(decideRetry(failure('unknown', 'later'), scroll({ retryState }), slowest)).toMatchObject({
      retryState: failedTimes(4, minute),
    })
  })

  it('leads to a new attempt if the token would expire during the wait', () => {
    const respondedAt = now - 10 * minute
    const cursor = { ...openingCursor(1000), token: 't', respondedAt, openedAt: respondedAt }
    const wait = (retryAfterMs: number) =>
      decideRetry(failure('throttled', 'later', retryAfterMs), { cursor, retryState: undefined }, slowest)
    expect(wait(9.5 * minute)).toMatchObject({ action: 'retry', waitMs: 9.5 * minute })
    expect(wait(9.5 * minute + 1)).toMatchObject({ action: 'new-attempt' })
  })
})

describe('a failure that lasts', () => {
  it.each<[Kind, RetryState, number]>([
    ['not sent', throttledTimes(20, 10 * minute), 1],
    ['unknown', throttledTimes(20, 10 * minute), 1],
    ['throttled', failedTimes(7, 3 * minute), 1],
    ['no scroll', throttledTimes(7, 3 * minute), 8],
  ])('is counted by its kind: %s after %o', (kind, retryState, tries) => {
    const decision = decideRetry(failure(kind, 'first'), scroll({ retryState }), slowest)
    expect(decision).toMatchObject({ action: 'retry', retryState: { last: { tries } } })
  })

  it('is given up after 25 minutes although its kind changes', () => {
    const since = now - 25 * minute
    const retryState: RetryState = { since, last: { kind: 'outage', tries: 1, since: now - 1 } }
    expect(decideRetry(failure('not sent', 'first'), scroll({ retryState }), slowest).action).toBe('fail')
    expect(decideRetry(failure('throttled', 'first'), scroll({ retryState }), slowest).action).toBe('fail')
  })

  it('has a reason with the number of tries', () => {
    const failed = scroll({ retryState: failedTimes(7) })
    expect(decideRetry(failure('not sent', 'later'), failed, slowest)).toMatchObject({
      reason: 'The platform responded so, 8 times in a row.',
    })
  })

  // A Retry-After of zero or one second must not use up in seconds a budget of minutes.
  it.each([0, 1_000])('is retried for minutes although each Retry-After is %i ms', (retryAfterMs) => {
    let retryState: RetryState | undefined
    let clock = now
    for (;;) {
      const failed = { cursor: openingCursor(1000), retryState }
      const next = decideRetry(failure('throttled', 'later', retryAfterMs), failed, {
        now: clock,
        random: () => 0.5,
      })
      if (next.action !== 'retry') break
      retryState = next.retryState
      clock += next.waitMs
    }
    expect(clock - now).toBe(25 * minute)
  })

  const events = fc.array(
    fc.record({
      kind: fc.constantFrom<Kind>('throttled', 'no scroll', 'not sent', 'unknown', 'refused'),
      asked: fc.option(fc.nat(40 * minute), { nil: undefined }),
      tookMs: fc.integer({ min: 1_000, max: 2 * minute }),
      chance: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    }),
    { minLength: 1, maxLength: 20 },
  )

  it('ends within its budget, whatever the sequence of failures', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 1000 }), (story, configured) => {
        let retryState: RetryState | undefined
        let pageSize = configured
        let clock = now
        let lastKind: FailureKind | undefined
        let sameKind = 0
        for (let request = 0; ; request++) {
          const event = story[request % story.length]
          if (!event) throw new Error('There is no event.')
          clock += event.tookMs
          const next = decideRetry(
            failure(event.kind, 'first', event.asked),
            { cursor: openingCursor(pageSize), retryState },
            { now: clock, random: () => event.chance },
          )
          if (next.action !== 'retry') break
          const { kind } = next.retryState.last
          sameKind = kind === lastKind ? sameKind + 1 : 1
          lastKind = kind
          expect(next.retryState.last.tries).toBe(sameKind)
          expect(next.waitMs).toBeGreaterThanOrEqual(0)
          expect(clock + next.waitMs - next.retryState.since).toBeLessThanOrEqual(25 * minute)
          expect(next.pageSize).toBeLessThanOrEqual(pageSize)
          expect(next.pageSize).toBeGreaterThanOrEqual(Math.min(50, configured))
          ;({ retryState, pageSize } = next)
          clock += next.waitMs
        }
        expect(clock - now).toBeLessThanOrEqual(25 * minute + 4 * minute)
      }),
      { numRuns: runsToTry(200) },
    )
  })
})
