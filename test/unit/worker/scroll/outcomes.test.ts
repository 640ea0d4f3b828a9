import { describe, expect, it } from 'vitest'
import { CredentialsError, type CredentialsErrorKind } from '../../../../functions/upstream/exchange.ts'
import type { BodyKind } from '../../../../functions/worker/scroll/body-kind.ts'
import { decisionOf, messageOf, outcomeOfResponse } from '../../../../functions/worker/scroll/decision.ts'
import type { ScrollEnd } from '../../../../functions/worker/scroll/loop.ts'
import { type OutcomeName, outcomes } from '../../../../functions/worker/scroll/outcomes.ts'
import { type Fault, type Simulation, simulate } from './simulated-scroll.ts'

/** What a scroll does when something happens to one of its requests, and when it happens each time. */
interface Shown {
  readonly fault?: Fault
  readonly world?: Simulation
  /** Minutes before the second worker continues. */
  readonly pauseMinutes?: number
  readonly first?: Seen
  readonly later?: Seen
}

interface Seen {
  readonly world?: Simulation
  /** How the scroll ends if it happens once. */
  readonly once: ScrollEnd['kind']
  readonly suspect: boolean
  /** Of 200 documents. All of them if absent. */
  readonly documents?: number
  /** The `_size` of the next request, after 100. */
  readonly size?: number
  /** Consecutive failures before the scroll gives up, and what follows then. */
  readonly tries?: number
  /** How long the scroll waits before it gives up: at least and at most. */
  readonly minutes?: readonly [number, number]
  readonly inTheEnd?: ScrollEnd['kind']
}

const credentialsError = (kind: CredentialsErrorKind) =>
  new CredentialsError(kind, 'The secret must be JSON.')

const fails: Seen = { once: 'fail', suspect: false, documents: 0 }
const skips: Seen = { once: 'skip', suspect: false, documents: 0 }
const nothingDone: Seen = { once: 'ended', suspect: false, inTheEnd: 'fail' }
const sameAgain: Seen = { ...nothingDone, size: 100 }
const reopens: Seen = { once: 'ended', suspect: false, size: 100, tries: 8, inTheEnd: 'fail' }
const reopensSmaller: Seen = { ...reopens, size: 50 }
const losesAPage: Seen = { once: 'ended', suspect: true, documents: 100, tries: 8, inTheEnd: 'new-attempt' }
const losesNothing: Seen = { ...losesAPage, documents: 200 }
const laterRefusal = { ...fails, documents: 100 }

/** Each row of the table. The platform has a cursor that each request moves. */
const shown: Readonly<Record<OutcomeName, Shown>> = {
  cache: { fault: { lost: 'aged' }, first: reopens, later: losesAPage },
  firewall: {
    fault: {
      instead: 403,
      headers: { 'content-type': 'text/html' },
      body: '<html><title>Stop</title></html>',
    },
    first: reopens,
    later: losesNothing,
  },
  'rate limit with a time': {
    fault: { instead: 403, headers: { 'retry-after': '2' } },
    first: { ...sameAgain, minutes: [24, 25] },
    later: { ...nothingDone, minutes: [18, 20], inTheEnd: 'new-attempt' },
  },
  'rate limit': {
    fault: { instead: 403, headers: { 'x-ratelimit-remaining': '0' } },
    first: { ...sameAgain, minutes: [3, 4] },
    later: { ...nothingDone, minutes: [3, 4] },
  },
  'no content': { world: { end: { status: 204 } }, later: { once: 'ended', suspect: false } },
  'empty page': { world: { end: { body: ' \n[ ]' } }, later: { once: 'ended', suspect: false } },
  page: { later: { once: 'ended', suspect: false } },
  'cut off': { fault: { lost: 'cut-off' }, first: reopensSmaller, later: losesAPage },
  'no list': { fault: { instead: 200, body: 'null' }, first: reopens, later: losesNothing },
  'not JSON': { fault: { lost: 'html' }, first: reopens, later: losesAPage },
  'too many scrolls': {
    fault: { instead: 400, body: '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}' },
    first: { once: 'wait', suspect: false, documents: 0, minutes: [24, 25], inTheEnd: 'fail' },
    later: { once: 'wait', suspect: false, documents: 100, minutes: [18, 20], inTheEnd: 'new-attempt' },
  },
  'request timeout': { fault: { instead: 408 }, first: reopensSmaller, later: losesNothing },
  'too many requests': {
    fault: { instead: 429 },
    first: { ...sameAgain, minutes: [24, 25] },
    later: { ...nothingDone, minutes: [18, 20], inTheEnd: 'new-attempt' },
  },
  'credentials rejected': { fault: { instead: 403 }, first: fails, later: laterRefusal },
  'request refused': {
    fault: { instead: 400 },
    first: fails,
    later: { once: 'new-attempt', suspect: false, documents: 100 },
  },
  'platform busy': {
    fault: { instead: 503, headers: { 'retry-after': '30' } },
    first: { once: 'wait', suspect: false, documents: 0, minutes: [24, 25], inTheEnd: 'fail' },
    later: { once: 'wait', suspect: true, documents: 100, minutes: [18, 20], inTheEnd: 'new-attempt' },
  },
  'platform failed': { fault: { instead: 503 }, first: reopens, later: losesNothing },
  'permanent redirect': { fault: { instead: 301 }, first: fails, later: laterRefusal },
  redirect: { fault: { instead: 302 }, first: reopens, later: losesNothing },
  'another status': { fault: { instead: 304 }, first: reopens, later: losesNothing },
  unreachable: {
    fault: { instead: 'unreachable' },
    first: { ...sameAgain, tries: 8 },
    later: { ...nothingDone, tries: 8 },
  },
  timeout: { fault: { lost: 'timeout' }, first: reopensSmaller, later: losesAPage },
  interrupted: { fault: { lost: 'interrupted' }, first: reopensSmaller, later: losesAPage },
  unreadable: { fault: { lost: 'unreadable' }, first: reopens, later: losesAPage },
  'too-large': { fault: { lost: 'too-large' }, first: reopensSmaller, later: losesAPage },
  'credentials not set': {
    fault: { throws: credentialsError('not-set') },
    first: skips,
    later: laterRefusal,
  },
  'credentials malformed': {
    fault: { throws: credentialsError('malformed') },
    first: fails,
    later: laterRefusal,
  },
  'credentials unreadable': {
    fault: { throws: credentialsError('unreadable') },
    first: { ...sameAgain, tries: 8 },
    later: { ...nothingDone, tries: 8 },
  },
  'malformed page': {
    fault: { lost: 'malformed' },
    // With a token it is noticed after the second request, which is the case of a later page.
    first: { ...reopens, world: { tokenHeader: 'none', documents: 50 }, documents: 50, tries: 2 },
    later: { once: 'ended', suspect: true, documents: 100 },
  },
  'too many documents': { fault: { lost: 'too-many' }, first: fails, later: laterRefusal },
  'no token': { world: { tokenHeader: 'none' }, first: { once: 'ended', suspect: true, documents: 100 } },
  'expired token': { pauseMinutes: 20, later: { once: 'new-attempt', suspect: false, documents: 100 } },
  runaway: {
    world: { endless: true, total: () => '200' },
    later: { once: 'fail', suspect: false, documents: 500 },
  },
}

const rows = Object.entries(shown).flatMap(([name, row]) =>
  (['first', 'later'] as const).flatMap((page) => {
    const seen = row[page]
    return seen ? [{ name: name as OutcomeName, page, row, seen }] : []
  }),
)

const worldOf = (row: { world?: object }, seen: { world?: object }) => ({
  documents: 200,
  pageSize: 100,
  ...row.world,
  ...seen.world,
})

describe('every outcome of a scroll request', () => {
  it.each(rows)('$name, $page page', async ({ page, row, seen }) => {
    const faulty = page === 'first' ? 1 : 2
    const world = simulate({
      ...worldOf(row, seen),
      faults: (request) => (request === faulty ? row.fault : undefined),
      timeIsUp: (call) => row.pauseMinutes !== undefined && call === 2,
    })
    let end = await world.run()
    if (row.pauseMinutes) {
      world.clock.now += row.pauseMinutes * 60_000
      end = await world.run()
    }
    expect(end.kind).toBe(seen.once)
    expect(world.isSuspect()).toBe(seen.suspect)
    expect(world.store.position.documentsSoFar).toBe(seen.documents ?? 200)
    expect(/_size=(\d+)/.exec(world.targets[1] ?? '')?.[1]).toBe(seen.size && String(seen.size))
    expect('reason' in end ? end.reason : 'It ended.').toMatch(/^\p{Lu}.*\.$/u)
  })

  const lasting = rows.filter(({ seen }) => seen.inTheEnd)
  it.each(lasting)('$name, $page page, each time: $seen.inTheEnd', async ({ page, row, seen }) => {
    const from = page === 'first' ? 1 : 2
    const faults = (request: number) => (request >= from ? row.fault : undefined)
    const world = simulate({ ...worldOf(row, seen), faults })
    const startedAt = world.clock.now
    const end = await world.runToEnd()
    const reason = expect.stringMatching(
      /times in a row\.$|the same again: correct the document .*\)\.$/,
    ) as string
    expect(end).toMatchObject({ kind: seen.inTheEnd, reason })
    const tries = world.count.requests - from + 1
    expect(tries).toBe(seen.tries ?? tries)
    const [least, most] = seen.minutes ?? [0, 4]
    expect(world.clock.now - startedAt).toBeGreaterThanOrEqual(least * 60_000)
    expect(world.clock.now - startedAt).toBeLessThanOrEqual(most * 60_000)
  })

  it('is tested for each request of which it can be the outcome', () => {
    const pagesOf = (row: object) => ['first', 'later'].filter((page) => page in row)
    for (const [name, row] of Object.entries(outcomes)) {
      const pages = pagesOf(shown[name as OutcomeName])
      const missing = pagesOf(row).filter((page) => !pages.includes(page))
      expect({ name, pages, missing }).toEqual({
        name,
        pages: [expect.anything(), ...pages.slice(1)],
        missing: [],
      })
      expect(`${name}: ${row.source}`).toMatch(/: (Interface|In practice,|RFC|The) .*\.$/)
    }
    expect(Object.keys(shown).toSorted()).toEqual(Object.keys(outcomes).toSorted())
  })

  it('has no decision for a request of which it cannot be the outcome', () =>
    expect(() => decisionOf('no token', 'later')).toThrow("'no token' is not an outcome of a later request."))

  it('has a message without what is not known', () => {
    expect(messageOf('unreachable')).toBe('the platform could not be reached: ')
  })

  it('has a row for each status and body', () => {
    const bodies: readonly BodyKind[] = ['empty', 'nothing', 'documents', 'cut-off', 'other']
    for (let status = 100; status < 1000; status++) {
      for (const body of bodies) {
        const response = { status, body, text: '', retryAfterMs: undefined }
        expect(outcomeOfResponse({ ...response, by: undefined })).toEqual(expect.any(String))
        for (const by of ['cache', 'firewall'] as const)
          expect(outcomeOfResponse({ ...response, by })).toBe(by)
      }
    }
  })
})
