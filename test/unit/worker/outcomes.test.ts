import { describe, expect, it } from 'vitest'
import { CredentialsError, type CredentialsErrorKind } from '../../../functions/upstream/errors.ts'
import type { BodyKind } from '../../../functions/worker/scroll/body-kind.ts'
import type { ScrollEnd } from '../../../functions/worker/scroll/loop.ts'
import { type OutcomeName, outcomeOfAnswer, outcomes } from '../../../functions/worker/scroll/outcomes.ts'
import { type Fault, type Simulation, simulate } from './simulated-scroll.ts'

/** What a scroll is seen to do when something happens to one of its requests, and when it happens each time. */
interface Shown {
  readonly fault?: Fault
  readonly world?: Simulation
  /** Minutes that pass before the second worker goes on. */
  readonly pauseMinutes?: number
  readonly first?: Seen
  readonly later?: Seen
}

interface Seen {
  readonly world?: Simulation
  /** How the scroll ends if it happens once. */
  readonly once: ScrollEnd['kind']
  readonly suspect: boolean
  /** Of 200 documents; without it all of them. */
  readonly documents?: number
  /** The `_size` that is asked for next, of 100. */
  readonly size?: number
  /** Requests that fail in a row before it is given up, and what follows then. */
  readonly tries?: number
  readonly inTheEnd?: ScrollEnd['kind']
}

const keys = (kind: CredentialsErrorKind) => new CredentialsError(kind, 'The secret must be JSON.')

const refusedForGood: Seen = { once: 'failed', suspect: false, documents: 0 }
const nothingDone: Seen = { once: 'ended', suspect: false, inTheEnd: 'failed' }
const sameAgain: Seen = { ...nothingDone, size: 100 }
const startsSmaller: Seen = { once: 'ended', suspect: false, size: 50, tries: 8, inTheEnd: 'failed' }
const losesAPage: Seen = { once: 'ended', suspect: true, documents: 100, tries: 8, inTheEnd: 'new-attempt' }
const losesNothing: Seen = { ...losesAPage, documents: 200 }
const laterRefusal = { ...refusedForGood, documents: 100 }

/** Each row of the table, shown. The platform is a cursor that each request moves which it acts upon. */
const shown: Readonly<Record<OutcomeName, Shown>> = {
  'no content': {
    world: { end: { status: 204 } },
    later: { once: 'ended', suspect: false },
  },
  nothing: {
    world: { end: { body: ' \n[ ]' } },
    later: { once: 'ended', suspect: false },
  },
  documents: { later: { once: 'ended', suspect: false } },
  'something else': { fault: { lost: 'html' }, first: startsSmaller, later: losesAPage },
  'request timeout': { fault: { instead: 408 }, first: startsSmaller, later: losesNothing },
  'too many requests': {
    fault: { instead: 429 },
    first: { ...sameAgain, tries: 15 },
    later: { ...nothingDone, tries: 15 },
  },
  'keys rejected': { fault: { instead: 403 }, first: refusedForGood, later: laterRefusal },
  'request refused': {
    fault: { instead: 400 },
    first: refusedForGood,
    later: { once: 'new-attempt', suspect: false, documents: 100 },
  },
  'platform failed': { fault: { instead: 503 }, first: startsSmaller, later: losesNothing },
  'another status': { fault: { instead: 302 }, first: startsSmaller, later: losesNothing },
  unreachable: {
    fault: { instead: 'unreachable' },
    first: { ...sameAgain, tries: 8 },
    later: { ...nothingDone, tries: 8 },
  },
  timeout: { fault: { lost: 'timeout' }, first: startsSmaller, later: losesAPage },
  interrupted: { fault: { lost: 'interrupted' }, first: startsSmaller, later: losesAPage },
  'too-large': { fault: { lost: 'too-large' }, first: startsSmaller, later: losesAPage },
  'keys not set': { fault: { throws: keys('not-set') }, first: refusedForGood, later: laterRefusal },
  'keys malformed': { fault: { throws: keys('malformed') }, first: refusedForGood, later: laterRefusal },
  'keys unread': {
    fault: { throws: keys('unreadable') },
    first: { ...sameAgain, tries: 8 },
    later: { ...nothingDone, tries: 8 },
  },
  'malformed page': {
    fault: { lost: 'malformed' },
    // Of a first page with a token it shows when the second has been asked for, which is a later page's case.
    first: { ...startsSmaller, world: { tokenHeader: 'none', documents: 50 }, documents: 50 },
    later: { once: 'ended', suspect: true, documents: 100 },
  },
  'no token': {
    world: { tokenHeader: 'none' },
    first: { once: 'ended', suspect: true, documents: 100 },
  },
  'old token': {
    pauseMinutes: 20,
    later: { once: 'new-attempt', suspect: false, documents: 100 },
  },
  'no end': {
    world: { endless: true, total: () => '200' },
    later: { once: 'failed', suspect: false, documents: 400 },
  },
}

const rows = Object.entries(shown).flatMap(([name, row]) =>
  (['first', 'later'] as const).flatMap((page) => {
    const seen = row[page]
    return seen ? [{ name: name as OutcomeName, page, row, seen }] : []
  }),
)

describe('every outcome of a scroll request', () => {
  it.each(rows)('$name, $page page', async ({ page, row, seen }) => {
    const struck = page === 'first' ? 1 : 2
    const world = simulate({
      documents: 200,
      pageSize: 100,
      ...row.world,
      ...seen.world,
      faults: (request) => (request === struck ? row.fault : undefined),
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
    expect(end.reason ?? 'It ended.').toMatch(/^\p{Lu}.*\.$/u)
  })

  const lasting = rows.filter(({ seen }) => seen.tries)
  it.each(lasting)('$name, $page page, again and again: $seen.inTheEnd', async ({ page, row, seen }) => {
    const from = page === 'first' ? 1 : 2
    const world = simulate({
      documents: 200,
      pageSize: 100,
      ...row.world,
      ...seen.world,
      faults: (request) => (request >= from ? row.fault : undefined),
    })
    let end = await world.run()
    while (end.kind === 'wait') {
      world.clock.now += end.waitMs ?? 0
      end = await world.run({ retryState: end.retryState })
    }
    expect(end).toMatchObject({ kind: seen.inTheEnd, reason: expect.stringContaining('times in a row.') })
    expect(world.count.requests).toBe((seen.tries ?? 0) + from - 1)
  })

  it('is shown here for the pages of which it can come', () => {
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

  it('is known: no status and no body is without a row', () => {
    const bodies: readonly BodyKind[] = ['nothing', 'documents', 'something else']
    for (let status = 100; status < 1000; status++) {
      for (const body of bodies) expect(outcomeOfAnswer(status, body)).toBeDefined()
    }
  })
})
