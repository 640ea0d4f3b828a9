import { describe, expect, test } from 'vitest'
import { budgetMs, retryPolicyOf } from '../../../functions/proxy/retry-rules.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../../functions/upstream/exchange.ts'
import { nextTry, type RetryState, type UpstreamOutcome } from '../../../functions/upstream/retry.ts'

const responded = (status: number, headers = {}) => ({ status, headers, body: Buffer.alloc(0) })
const failed = (kind: UpstreamFailureKind) => new UpstreamFailure(kind)
const isRetried = (outcome: UpstreamOutcome) =>
  (['safe', 'only-if-not-done'] as const).map(
    (repeatable) => retryPolicyOf(outcome, repeatable) !== undefined,
  )
const half = () => 0.5
const now = 1_800_000_000_000

describe('which outcomes are retried', () => {
  test.each([
    [200, false, false],
    [204, false, false],
    [302, false, false],
    [400, false, false],
    [401, false, false],
    [403, false, false],
    [404, false, false],
    [408, false, false],
    [429, true, true],
    [500, false, false],
    [501, false, false],
    [502, true, false],
    [503, true, false],
    [504, true, false],
  ])('after %i: dock and search %s, scroll and patches %s', (status, ifSafe, ifOnce) => {
    expect(isRetried(responded(status))).toEqual([ifSafe, ifOnce])
  })

  test.each([
    [200, false, false],
    [404, false, false],
    [429, true, false],
    [503, true, false],
  ])('after %i from a cache: dock and search %s, scroll and patches %s', (status, ifSafe, ifOnce) => {
    expect(isRetried(responded(status, { age: '61' }))).toEqual([ifSafe, ifOnce])
  })

  test.each([
    ['unreachable', true, true],
    ['interrupted', true, false],
    ['timeout', false, false],
    ['not-sent', false, false],
    ['too-large', false, false],
  ] as const)('after %s: dock and search %s, scroll and patches %s', (kind, ifSafe, ifOnce) => {
    expect(isRetried(failed(kind))).toEqual([ifSafe, ifOnce])
  })
})

describe('the number of retries and the wait', () => {
  const waitMs = (tries: number, { retryAfterMs = 0, leftMs = 20_000, random = half } = {}) => {
    const policy = retryPolicyOf(responded(429), 'only-if-not-done')
    if (!policy) throw new Error('A 429 is not retried.')
    const before: RetryState = { since: now, last: { kind: 'outage', tries: tries - 1, since: now } }
    const next = nextTry(before, { policy, retryAfterMs }, { now, random, deadline: now + leftMs })
    return next.kind === 'retry' ? next.waitMs : undefined
  }

  test.each([
    ['first', 1, 100],
    ['second', 2, 200],
    ['third', 3, 400],
    ['fourth (not sent)', 4, undefined],
  ])('%s retry', (_, tries, expected) => expect(waitMs(tries)).toBe(expected))

  test.each<[string, Parameters<typeof waitMs>[1], number | undefined]>([
    ['full jitter starts at 0', { random: () => 0 }, 0],
    ['Retry-After is observed', { retryAfterMs: 3_000 }, 3_000],
    ['a short Retry-After keeps the backoff', { retryAfterMs: 1 }, 100],
    ['a Retry-After that just fits', { retryAfterMs: 5_000, leftMs: 5_000 }, 5_000],
    ['a Retry-After beyond the time left', { retryAfterMs: 5_000, leftMs: 4_999 }, undefined],
    ['no time left for the backoff', { leftMs: 99 }, undefined],
    ['no time left at all', { leftMs: -5, random: () => 0 }, undefined],
  ])('%s', (_, given, expected) => expect(waitMs(1, given)).toBe(expected))
})

test.each([
  ['the configured limit', 25, 29_000, 25_000],
  ['what is left of the function’s time, less a second for the response', 25, 10_000, 9_000],
  ['never longer than API Gateway waits', 60, 900_000, 28_000],
  ['at least a millisecond', 25, 200, 1],
])('the time for a request is %s', (_, ...[timeoutSeconds, functionLeftMs, expected]) => {
  expect(budgetMs(timeoutSeconds, functionLeftMs)).toBe(expected)
})
