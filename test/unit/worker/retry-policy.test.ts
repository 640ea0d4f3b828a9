import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RetryState } from '../../../functions/state/retry-state.ts'
import { type OutcomeName, type Setback, verdictOf } from '../../../functions/worker/scroll/outcomes.ts'
import { type Remedy, remedy } from '../../../functions/worker/scroll/retry-policy.ts'

/** One outcome of each kind, of the first request or a later one. */
const outcomes = {
  throttled: 'too many requests',
  'not-sent': 'unreachable',
  unknown: 'timeout',
  refused: 'request refused',
} as const satisfies Record<string, OutcomeName>
type Kind = keyof typeof outcomes

const failed = (kind: Kind, { first = false, retryAfterMs = undefined as number | undefined } = {}) => ({
  verdict: verdictOf(outcomes[kind], first) as Setback,
  detail: 'the platform answered so',
  retryAfterMs,
})

const minute = 60_000
const now = 1_800_000_000_000
const most = { now, random: () => 1 }
const scroll = (change: { pageSize?: number; retryState?: RetryState } = {}) => ({
  pageSize: 1000,
  retryState: undefined,
  ...change,
})
const inTrouble = (tries: number, sinceMs = 0): RetryState => ({ tries, since: now - sinceMs })

describe('what never passes is not tried again', () => {
  it.each([
    ['refused', true, 'fail'],
    ['refused', false, 'new-attempt'],
  ] as const)('%s (first page %s): %s, in its own words', (kind, first, action) => {
    expect(remedy(failed(kind, { first }), scroll(), most)).toEqual({
      action,
      reason: 'The platform answered so.',
    })
  })

  it.each([
    ['ends', 'ends.', 'Ends.'],
    ['is cut', 'is cut…', 'Is cut…'],
    ['is open', 'is open', 'Is open.'],
  ])('says so in a sentence that %s', (_, detail, reason) => {
    expect(remedy({ ...failed('refused', { first: true }), detail }, scroll(), most)).toMatchObject({
      reason,
    })
  })
})

describe('what passes is tried again', () => {
  it.each<[Kind, boolean, number]>([
    ['throttled', true, 1000],
    ['throttled', false, 1000],
    ['not-sent', true, 1000],
    ['not-sent', false, 1000],
    ['unknown', true, 500],
    ['unknown', false, 1000],
  ])('%s (first page %s) with a _size of %i', (kind, first, pageSize) => {
    expect(remedy(failed(kind, { first }), scroll(), most)).toEqual({
      action: 'retry',
      waitMs: 500,
      retryState: { tries: 1, since: now },
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
  ])('a first page of %i that failed is asked for with %i', (pageSize, expected) => {
    expect(remedy(failed('unknown', { first: true }), scroll({ pageSize }), most)).toMatchObject({
      pageSize: expected,
    })
  })

  it.each([
    [0, 500],
    [1, 1_000],
    [2, 2_000],
    [4, 8_000],
    [6, 30_000],
  ])('after %i tries in vain it waits up to %i ms', (tries, waitMs) => {
    const after = scroll({ retryState: inTrouble(tries) })
    expect(remedy(failed('not-sent'), after, most)).toMatchObject({ waitMs })
    expect(remedy(failed('not-sent'), after, { now, random: () => 0 })).toMatchObject({ waitMs: 0 })
  })

  it.each([
    [3_000, 3_000],
    [10 * minute, 10 * minute],
    [15 * minute, 15 * minute],
    [15 * minute + 1, 15 * minute],
    [Number.MAX_SAFE_INTEGER, 15 * minute],
  ])('waits as it was told, %i ms, and at most 15 minutes', (asked, waitMs) => {
    for (const kind of ['throttled', 'unknown'] as const)
      expect(remedy(failed(kind, { retryAfterMs: asked }), scroll(), most)).toMatchObject({ waitMs })
  })

  it('counts on from trouble that it already had', () => {
    const retryState = inTrouble(3, minute)
    expect(remedy(failed('unknown'), scroll({ retryState }), most)).toMatchObject({
      retryState: { tries: 4, since: now - minute },
    })
  })
})

describe('trouble that lasts comes to an end', () => {
  it.each<[Kind, boolean, RetryState, Remedy['action']]>([
    ['throttled', false, inTrouble(13, minute), 'retry'],
    ['throttled', false, inTrouble(14, minute), 'fail'],
    ['throttled', true, inTrouble(14, minute), 'fail'],
    ['throttled', false, inTrouble(1, 15 * minute - 1), 'retry'],
    ['throttled', false, inTrouble(1, 15 * minute), 'fail'],
    ['not-sent', false, inTrouble(6, minute), 'retry'],
    ['not-sent', false, inTrouble(7, minute), 'fail'],
    ['not-sent', true, inTrouble(7, minute), 'fail'],
    ['not-sent', true, inTrouble(1, 4 * minute - 1), 'retry'],
    ['not-sent', true, inTrouble(1, 4 * minute), 'fail'],
    ['unknown', false, inTrouble(6, minute), 'retry'],
    ['unknown', false, inTrouble(7, minute), 'new-attempt'],
    ['unknown', true, inTrouble(7, minute), 'fail'],
    ['unknown', false, inTrouble(1, 4 * minute), 'new-attempt'],
    ['unknown', true, inTrouble(1, 4 * minute), 'fail'],
  ])('%s (first page %s) after %o: %s', (kind, first, ...[retryState, action]) => {
    expect(remedy(failed(kind, { first }), scroll({ retryState }), most).action).toBe(action)
  })

  it('is told with the number of tries', () => {
    const given = scroll({ retryState: inTrouble(7) })
    expect(remedy(failed('not-sent'), given, most)).toMatchObject({
      reason: 'The platform answered so, 8 times in a row.',
    })
  })

  const kinds = fc.constantFrom<Kind>('throttled', 'not-sent', 'unknown', 'refused')
  const events = fc.array(
    fc.record({
      kind: kinds,
      asked: fc.option(fc.nat(40 * minute), { nil: undefined }),
      tookMs: fc.nat(2 * minute),
      chance: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    }),
    { minLength: 1, maxLength: 20 },
  )

  it('whatever comes: within its tries and its time, no wait above 15 minutes, no page that grows', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 1000 }), fc.boolean(), (story, configured, first) => {
        let retryState: RetryState | undefined
        let pageSize = configured
        let clock = now
        let lastWaitMs = 0
        // The same story over and over: it must end by itself.
        for (let tries = 1; ; tries++) {
          const event = story[(tries - 1) % story.length]
          if (!event) throw new Error('no event')
          clock += event.tookMs
          const next = remedy(
            failed(event.kind, { first, retryAfterMs: event.asked }),
            { pageSize, retryState },
            { now: clock, random: () => event.chance },
          )
          expect(tries).toBeLessThanOrEqual(15)
          if (next.action !== 'retry') break
          expect(next.retryState.tries).toBe(tries)
          expect(clock - next.retryState.since).toBeLessThan(15 * minute)
          expect(next.waitMs).toBeGreaterThanOrEqual(0)
          expect(next.waitMs).toBeLessThanOrEqual(15 * minute)
          expect(next.pageSize).toBeLessThanOrEqual(pageSize)
          expect(next.pageSize).toBeGreaterThanOrEqual(Math.min(50, configured))
          expect(first || next.pageSize === configured).toBe(true)
          ;({ retryState, pageSize } = next)
          lastWaitMs = next.waitMs
          clock += next.waitMs
        }
        expect(clock - now).toBeLessThanOrEqual(15 * minute + lastWaitMs + 4 * minute)
      }),
      { numRuns: 500 },
    )
  })
})
