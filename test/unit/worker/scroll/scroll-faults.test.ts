import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsToTry } from '../../../case-count.ts'
import { at, type Fault, simulate } from './simulated-scroll.ts'

const minute = 60_000

const always = (fault: Fault) => () => fault

describe('a failure of the first page', () => {
  it.each<[string, Fault]>([
    ['a 408', { instead: 408 }],
    ['a timeout', { lost: 'timeout' }],
    ['a broken connection', { lost: 'interrupted' }],
    ['a body that is cut off', { lost: 'cut-off' }],
    ['a response that is too large', { lost: 'too-large' }],
  ])('halves the size and makes nothing suspect: %s', async (_, fault) => {
    const world = simulate({ documents: 600, pageSize: 400, faults: at(1, 2)(fault) })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { pageSize: 100 } })
    expect(world.isSuspect()).toBe(false)
    expect(world.targets.slice(0, 3).map((target) => /_size=\d+/.exec(target)?.[0])).toEqual([
      '_size=400',
      '_size=200',
      '_size=100',
    ])
    expect(world.store.position.pageSize).toBe(100)
    expect(world.store.lines).toEqual(world.all)
  })

  it.each<[string, Fault]>([
    ['a 429', { instead: 429 }],
    ['a 500', { instead: 500 }],
    ['a 503', { instead: 503 }],
    ['a redirect', { instead: 302 }],
    ['HTML', { lost: 'html' }],
    ['a refused connection', { instead: 'unreachable' }],
  ])('keeps the size: %s', async (_, fault) => {
    const world = simulate({ documents: 600, pageSize: 400, faults: at(1)(fault) })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { pageSize: 400 } })
    expect(world.isSuspect()).toBe(false)
  })

  it('fails the run within minutes if it lasts, and reports why', async () => {
    const world = simulate({ pageSize: 1000, faults: always({ instead: 408 }) })
    const began = world.clock.now
    const end = await world.runToEnd()
    expect(end).toMatchObject({ kind: 'fail', reason: expect.stringMatching(/408.*8 times in a row\.$/) })
    expect(world.targets.at(-1)).toContain('_size=50')
    expect(world.clock.now - began).toBeLessThan(5 * minute)
  })

  it.each([400, 401, 403, 404])('is final with status %i', async (status) => {
    const world = simulate({ faults: at(1)({ instead: status }) })
    expect(await world.run()).toMatchObject({
      kind: 'fail',
      reason: expect.stringContaining(String(status)) as string,
    })
    expect(world.count.requests).toBe(1)
  })

  it('requests a malformed page without a token again', async () => {
    const world = simulate({
      documents: 100,
      pageSize: 200,
      tokenHeader: 'none',
      faults: at(1)({ lost: 'malformed' }),
    })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { pageSize: 200, total: 100 } })
    expect(world.isSuspect()).toBe(false)
    expect(world.store.lines).toEqual(world.all)
  })
})

it('records the total of the response that contained the first page', async () => {
  let responses = 0
  const world = simulate({
    documents: 2,
    tokenHeader: 'none',
    total: () => String(++responses),
    faults: at(1)({ lost: 'malformed' }),
  })
  expect(await world.run()).toMatchObject({ kind: 'ended', position: { total: 2 } })
})

describe('a failure of a later page', () => {
  it('is reported without the token of the scroll', async () => {
    const fault: Fault = { instead: 404, body: 'Operation not found for this token: scroll-1' }
    expect(await simulate({ faults: at(2)(fault) }).run()).toMatchObject({
      kind: 'new-attempt',
      reason: expect.stringContaining('not found for this token: [redacted]') as string,
    })
  })

  it.each<[string, Fault, RegExp]>([
    ['a timeout', { lost: 'timeout' }, /did not respond in time/],
    ['a broken connection', { lost: 'interrupted' }, /connection broke/],
    ['HTML', { lost: 'html' }, /an HTML page/],
    ['a 500', { instead: 500 }, /responded with 500/],
    ['a 503', { instead: 503 }, /responded with 503/],
  ])('makes the attempt suspect before anything else is requested: %s', async (_, fault, detail) => {
    const world = simulate({ faults: at(2)(fault) })
    expect((await world.run()).kind).toBe('ended')
    const recorded = world.journal.findIndex((entry) => entry.startsWith('suspect'))
    expect(world.journal[recorded]).toMatch(detail)
    expect(recorded).toBeGreaterThan(world.journal.indexOf('request 2'))
    expect(recorded).toBeLessThan(world.journal.indexOf('request 3'))
    expect(world.journal.indexOf('commit 1')).toBeLessThan(world.journal.indexOf('request 3'))
    expect(world.store.position.pageSize).toBe(3)
  })

  it.each<[string, Fault]>([
    ['a 429', { instead: 429 }],
    ['a refused connection', { instead: 'unreachable' }],
  ])('makes nothing suspect if nothing was done: %s', async (_, fault) => {
    const world = simulate({ faults: at(2, 4)(fault) })
    expect((await world.run()).kind).toBe('ended')
    expect(world.isSuspect()).toBe(false)
    expect(world.store.lines).toEqual(world.all)
    expect(world.journal.filter((entry) => entry.startsWith('sleep'))).toEqual(['sleep 500', 'sleep 500'])
  })

  it('loses a page with cursor tokens, and none with positional tokens', async () => {
    const faults = at(2)({ lost: 'timeout' })
    const cursor = simulate({ tokens: 'cursor', faults })
    await cursor.run()
    expect(cursor.store.position.documentsSoFar).toBe(7)
    const positional = simulate({ tokens: 'positional', faults })
    await positional.run()
    expect(positional.store.lines).toEqual(positional.all)
    expect([cursor.isSuspect(), positional.isSuspect()]).toEqual([true, true])
  })

  it('ends the run at once if the credentials are rejected, with earlier pages committed', async () => {
    const world = simulate({ faults: at(3)({ instead: 401 }) })
    expect(await world.run()).toMatchObject({ kind: 'fail', reason: expect.stringContaining('credentials') })
    expect(world.store.position.page).toBe(2)
    expect(world.memory.background).toBe(0)
  })

  it('leads to a new attempt within minutes if it lasts', async () => {
    const world = simulate({ faults: (request) => (request > 1 ? { lost: 'timeout' } : undefined) })
    const end = await world.runToEnd()
    expect(end).toMatchObject({ kind: 'new-attempt', reason: expect.stringMatching(/8 times in a row/) })
    expect(end).not.toHaveProperty('retryState')
    expect(world.count.requests).toBe(9)
  })

  it('is forgotten with the next committed page', async () => {
    const world = simulate({
      documents: 60,
      faults: (request) => (request % 2 || request > 30 ? undefined : { instead: 429 }),
    })
    expect(await world.run()).toMatchObject({ kind: 'ended' })
    expect(new Set(world.journal.filter((entry) => entry.startsWith('sleep')))).toEqual(
      new Set(['sleep 500']),
    )
  })
})

describe('a page that turns out to be malformed when it is prepared', () => {
  it.each([
    ['another page follows', 2, 7],
    ['the end follows', 4, 9],
  ])('is a lost page, and what was received in the meantime counts: %s', async (_, request, documents) => {
    const world = simulate({ tokens: 'cursor', faults: at(request)({ lost: 'malformed' }) })
    expect((await world.run()).kind).toBe('ended')
    expect(world.isSuspect()).toBe(true)
    expect(world.store.position).toMatchObject({ documentsSoFar: documents, kind: 'end' })
    const malformed = world.journal.indexOf('malformed')
    const suspect = world.journal.findIndex((entry) => entry.startsWith('suspect'))
    expect(suspect).toBeGreaterThan(malformed)
    const between = world.journal.slice(malformed + 1, suspect)
    expect(between.filter((entry) => entry !== `request ${request + 1}`)).toEqual([])
    // The end is requested once more.
    expect(world.count.requests).toBe(6)
  })

  it('is recorded before the worker hands off', async () => {
    const world = simulate({ faults: at(2)({ lost: 'malformed' }), timeIsUp: (call) => call === 3 })
    expect((await world.run()).kind).toBe('time-is-up')
    expect(world.isSuspect()).toBe(true)
    expect(world.store.position.page).toBe(1)
  })

  it('leads to a new attempt if all pages are malformed', async () => {
    const world = simulate({
      documents: 300,
      faults: (request) => (request > 1 ? { lost: 'malformed' } : undefined),
    })
    expect((await world.runToEnd()).kind).toBe('new-attempt')
    expect(world.count.requests).toBeLessThan(20)
  })
})

describe('any sequence of faults', () => {
  const kinds = fc.constantFrom<(Fault | undefined)[]>(
    [undefined],
    [{ instead: 'unreachable' }],
    [{ instead: 429 }],
    [{ instead: 503 }],
    [{ lost: 'timeout' }],
    [{ lost: 'interrupted' }],
    [{ lost: 'html' }],
    [{ lost: 'malformed' }],
    [{ instead: 429, headers: { 'retry-after': '30' } }],
  )
  const story = fc.record({
    documents: fc.nat(40),
    pageSize: fc.integer({ min: 1, max: 7 }),
    tokens: fc.constantFrom('cursor' as const, 'positional' as const),
    faults: fc.array(kinds, { maxLength: 30 }).map((list) => list.map(([fault]) => fault)),
    handOffs: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
    storeTurns: fc.nat(3),
  })

  it('leaves an attempt that has every document once, or is suspect, or reports why it stopped', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ faults, handOffs, storeTurns, ...given }) => {
        const world = simulate({
          ...given,
          faults: (request) => faults[request - 1],
          timeIsUp: (call) => handOffs.includes(call),
          storeTurns: () => storeTurns,
        })
        let end = await world.run()
        for (let workers = 1; end.kind === 'wait' || end.kind === 'time-is-up'; workers++) {
          expect(workers).toBeLessThan(100)
          expect(world.memory.background).toBe(0)
          if (end.kind === 'wait') world.clock.now += end.waitMs
          const position = world.store.position.page
            ? world.store.position
            : { ...world.store.position, pageSize: end.pageSize }
          end = await world.run({ retryState: end.retryState, position })
        }
        expect(world.memory.background).toBe(0)
        expect(world.memory.most).toBeLessThanOrEqual(2)
        const whole = JSON.stringify(world.store.lines) === JSON.stringify(world.all)
        expect(end.kind !== 'ended' || whole || world.isSuspect()).toBe(true)
        expect(end.kind === 'ended' || end.reason.endsWith('.')).toBe(true)
        // Nothing is invented or out of order.
        const ids = world.store.lines.map((line) => Number(JSON.parse(line).id))
        expect(ids).toEqual(ids.toSorted((one, other) => one - other))
      }),
      { numRuns: runsToTry(300) },
    )
  })
})
