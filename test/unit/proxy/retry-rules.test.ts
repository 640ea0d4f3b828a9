import { describe, expect, test } from 'vitest'
import { budgetMs, retryAfterMs } from '../../../functions/proxy/retry-rules.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../../functions/upstream/errors.ts'

const answered = (status: number, retryAfter?: string) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  body: Buffer.alloc(0),
})
const failed = (kind: UpstreamFailureKind) => new UpstreamFailure(kind)
const safe = { repeatable: 'safe', tries: 1, leftMs: 20_000 } as const
const once = { repeatable: 'only-if-not-done', tries: 1, leftMs: 20_000 } as const
const half = () => 0.5

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
    expect(retryAfterMs(answered(status), safe) !== undefined).toBe(ifSafe)
    expect(retryAfterMs(answered(status), once) !== undefined).toBe(ifOnce)
  })

  test.each([
    ['unreachable', true, true],
    ['interrupted', true, false],
    ['timeout', false, false],
    ['too-large', false, false],
  ] as const)('after %s: dock and search %s, scroll and patches %s', (kind, ifSafe, ifOnce) => {
    expect(retryAfterMs(failed(kind), safe) !== undefined).toBe(ifSafe)
    expect(retryAfterMs(failed(kind), once) !== undefined).toBe(ifOnce)
  })
})

describe('the number of retries and the wait', () => {
  test.each([
    ['first', 1, 100],
    ['second', 2, 200],
    ['third', 3, 400],
    ['fourth (not sent)', 4, undefined],
  ])('%s retry', (_, tries, expected) => {
    for (const call of [safe, once]) {
      expect(retryAfterMs(answered(429), { ...call, tries }, half)).toBe(expected)
      expect(retryAfterMs(failed('unreachable'), { ...call, tries }, half)).toBe(expected)
    }
  })

  test.each<[string, string | undefined, number, () => number, number | undefined]>([
    ['full jitter starts at 0', undefined, 20_000, () => 0, 0],
    ['Retry-After in seconds is observed', '3', 20_000, half, 3_000],
    ['a short Retry-After keeps the backoff', '0', 20_000, half, 100],
    ['a malformed Retry-After keeps the backoff', 'soon', 20_000, half, 100],
    ['a Retry-After that just fits', '5', 5_250, half, 5_000],
    ['a Retry-After beyond the time left is not shortened', '5', 5_249, half, undefined],
    ['a long Retry-After', '3600', 20_000, half, undefined],
    ['no time left for the backoff', undefined, 300, half, undefined],
    ['no time left at all', undefined, -5, () => 0, undefined],
  ])('%s', (_, ...[retryAfter, leftMs, random, expected]) => {
    expect(retryAfterMs(answered(503, retryAfter), { ...safe, leftMs }, random)).toBe(expected)
    expect(retryAfterMs(answered(429, retryAfter), { ...once, leftMs }, random)).toBe(expected)
  })

  test('a date in Retry-After is observed', () => {
    const date = new Date(Date.now() + 5_000).toUTCString()
    const waitMs = retryAfterMs(answered(429, date), once, half) ?? 0
    expect(waitMs).toBeGreaterThan(3_500)
    expect(waitMs).toBeLessThanOrEqual(5_000)
  })
})

describe('the time for a request', () => {
  test.each([
    ['the configured limit', 25, 29_000, 25_000],
    ['what is left of the function’s time, less a second for the answer', 25, 10_000, 9_000],
    ['never longer than API Gateway waits', 60, 900_000, 28_000],
    ['at least a millisecond', 25, 200, 1],
  ])('is %s', (_, ...[timeoutSeconds, functionLeftMs, expected]) => {
    expect(budgetMs(timeoutSeconds, functionLeftMs)).toBe(expected)
  })
})
