import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import type { RetryPolicy, RetryState, UpstreamOutcome } from '../../../functions/upstream/retry.ts'
import { isListed, nextTry, sendWithRetries } from '../../../functions/upstream/retry.ts'
import { runsToTry } from '../../case-count.ts'

const minute = 60_000
const now = 1_800_000_000_000
const slowest = { now, random: () => 1 }
const policy: RetryPolicy = {
  kind: 'outage',
  maxTries: 5,
  maxMs: 10 * minute,
  wait: { baseMs: 100, capMs: 1_000 },
  whenTooLong: 'shorten',
}
const untiring: RetryPolicy = { ...policy, maxTries: Number.POSITIVE_INFINITY }
const failed = (tries: number, sinceMs = 0, kind: RetryState['last']['kind'] = 'outage'): RetryState => {
  const since = now - sinceMs
  return { since, last: { kind, tries, since } }
}

describe('the wait before a request is repeated', () => {
  it.each([
    [0, 100],
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1_000],
    [5, 1_000],
    [5_000, 1_000],
  ])('after %i other failures is up to %i ms, with full jitter', (tries, max) => {
    const waitMs = (random: number) =>
      nextTry(failed(tries), { policy: untiring }, { now, random: () => random })
    expect(waitMs(0)).toMatchObject({ kind: 'retry', waitMs: 0 })
    expect(waitMs(0.5)).toMatchObject({ waitMs: max / 2 })
    expect(waitMs(1 - 2 ** -53)).toMatchObject({ waitMs: max })
  })

  it.each([
    [0, 45_000],
    [0.5, 60_000],
    [1, 75_000],
  ])('is about its mean if the policy has one (%d): %i ms', (random, waitMs) => {
    const mean = { ...policy, wait: { meanMs: minute } }
    expect(nextTry(failed(3), { policy: mean }, { now, random: () => random })).toMatchObject({ waitMs })
  })

  it.each([
    [undefined, 100],
    [0, 100],
    [99, 100],
    [101, 101],
    [10 * minute, 10 * minute],
    [Number.MAX_SAFE_INTEGER, 10 * minute],
  ])('is at least its own if Retry-After is %s: %i ms', (retryAfterMs, waitMs) => {
    expect(nextTry(undefined, { policy, retryAfterMs }, slowest)).toMatchObject({ kind: 'retry', waitMs })
  })

  it('is not shortened if the policy does not allow that', () => {
    const patient: RetryPolicy = { ...policy, whenTooLong: 'give-up' }
    const decide = (retryAfterMs: number) => nextTry(undefined, { policy: patient, retryAfterMs }, slowest)
    expect(decide(10 * minute)).toMatchObject({ kind: 'retry', waitMs: 10 * minute })
    expect(decide(10 * minute + 1).kind).toBe('give-up')
  })

  it('ends at the deadline', () => {
    const decide = (deadline: number) =>
      nextTry(undefined, { policy, retryAfterMs: 5_000 }, { ...slowest, deadline })
    expect(decide(now + 4_000)).toMatchObject({ kind: 'retry', waitMs: 4_000 })
    expect(decide(now).kind).toBe('give-up')
  })
})

describe('a request that keeps failing', () => {
  it.each<[string, RetryState | undefined, 'retry' | 'give-up']>([
    ['the first failure', undefined, 'retry'],
    ['the last try but one', failed(3), 'retry'],
    ['the last try', failed(4), 'give-up'],
    ['just before the time is over', failed(1, 10 * minute - 1), 'retry'],
    ['when the time is over', failed(1, 10 * minute), 'give-up'],
    ['many failures of another kind', failed(20, 9 * minute, 'throttled'), 'retry'],
    ['long failures of another kind', failed(2, 25 * minute, 'throttled'), 'give-up'],
  ])('is given up in time: %s', (_, before, kind) => {
    expect(nextTry(before, { policy }, slowest).kind).toBe(kind)
  })

  it('counts its failures by kind, from the first one', () => {
    expect(nextTry(failed(2, minute), { policy }, slowest).retryState).toEqual(failed(3, minute))
    expect(nextTry(failed(2, minute, 'throttled'), { policy }, slowest).retryState).toEqual({
      since: now - minute,
      last: { kind: 'outage', tries: 1, since: now },
    })
  })

  it('never waits beyond 25 minutes or the time of its policy, whatever happens', () => {
    const events = fc.array(
      fc.record({
        kind: fc.constantFrom('outage' as const, 'throttled' as const),
        retryAfterMs: fc.option(fc.nat(40 * minute), { nil: undefined }),
        tookMs: fc.integer({ min: 1_000, max: minute }),
        chance: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      }),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(events, (story) => {
        let before: RetryState | undefined
        let clock = now
        for (let request = 0; ; request++) {
          const event = story[request % story.length]
          if (!event) throw new Error('There is no event.')
          const { kind, retryAfterMs, tookMs, chance } = event
          clock += tookMs
          const given = { policy: { ...untiring, kind }, retryAfterMs }
          const next = nextTry(before, given, { now: clock, random: () => chance })
          if (next.kind === 'give-up') break
          before = next.retryState
          clock += next.waitMs
          expect(clock - before.last.since).toBeLessThanOrEqual(10 * minute)
          expect(clock - before.since).toBeLessThanOrEqual(25 * minute)
        }
      }),
      { numRuns: runsToTry(100) },
    )
  })
})

const respond = (status: number, headers = {}, body = '') => ({ status, headers, body: Buffer.from(body) })
const firewall = respond(403, {}, '<html>')
const cache = respond(200, { age: '61' })

it.each<[readonly string[], UpstreamOutcome, boolean]>([
  [['429'], respond(429), true],
  [['429'], respond(428), false],
  [['4xx'], respond(404), true],
  [['4xx'], respond(500), false],
  [['any'], respond(302), true],
  [['any'], new UpstreamFailure('timeout'), false],
  [['timeout'], new UpstreamFailure('timeout'), true],
  [['timeout', '5xx'], new UpstreamFailure('interrupted'), false],
  [[], respond(200), false],
  [['firewall'], firewall, true],
  [['403', '4xx', 'cache'], firewall, false],
  [['any'], firewall, true],
  [['cache'], cache, true],
  [['2xx', '200', 'firewall'], cache, false],
  [['firewall', 'cache'], respond(403), false],
])('a list of outcomes %j has %s: %s', (list, outcome, expected) => {
  expect(isListed(list, outcome)).toBe(expected)
})

describe('sending with retries', () => {
  /** Sends a request with these outcomes, the last of which repeats. All but 200 are retried. */
  async function send(outcomes: readonly (number | Error)[], deadline = Number.POSITIVE_INFINITY) {
    const slept: number[] = []
    let sent = 0
    let clock = now
    const outcome = await sendWithRetries(
      async () => {
        const next = outcomes[Math.min(sent++, outcomes.length - 1)] ?? 200
        if (next instanceof Error) throw next
        return { status: next, headers: { 'retry-after': '2' }, body: Buffer.alloc(0) }
      },
      (outcome) => ('status' in outcome && outcome.status === 200 ? undefined : policy),
      {
        now: () => clock,
        random: () => 1,
        deadline,
        async sleep(ms) {
          slept.push(ms)
          clock += ms
        },
      },
    )
    const seen = (one: UpstreamOutcome) => ('status' in one ? one.status : one.kind)
    return { outcome: seen(outcome), sent, slept }
  }

  it('returns the first outcome that is not retried', async () => {
    expect(await send([503, new UpstreamFailure('timeout'), 200])).toEqual({
      outcome: 200,
      sent: 3,
      slept: [2_000, 200],
    })
  })

  it('returns the last outcome if it gives up', async () => {
    const lost = new UpstreamFailure('interrupted')
    expect(await send([lost])).toEqual({ outcome: 'interrupted', sent: 5, slept: [100, 200, 400, 800] })
    expect(await send([503], now + 3_000)).toMatchObject({ outcome: 503, slept: [2_000, 1_000] })
  })

  it('throws an error that does not come from the platform', async () => {
    const ours = new TypeError('unexpected')
    await expect(send([503, ours])).rejects.toBe(ours)
  })
})
