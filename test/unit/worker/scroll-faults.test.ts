import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Fault, simulate } from './simulated-scroll.ts'

const minute = 60_000
const at =
  (...requests: readonly number[]) =>
  (fault: Fault) =>
  (request: number) =>
    requests.includes(request) ? fault : undefined
const always = (fault: Fault) => () => fault

describe('trouble with the first page', () => {
  it.each<[string, Fault]>([
    ['a 408', { instead: 408 }],
    ['a 500', { instead: 500 }],
    ['a time-out', { lost: 'timeout' }],
    ['a reset', { lost: 'interrupted' }],
    ['an answer that is too large', { lost: 'too-large' }],
    ['HTML', { lost: 'html' }],
  ])('%s halves the size and makes nothing suspect', async (_, fault) => {
    const world = simulate({ documents: 600, pageSize: 400, faults: at(1, 2)(fault) })
    expect(await world.run()).toMatchObject({ kind: 'ended', pageSize: 100 })
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
    ['a connection that is refused', { instead: 'unreachable' }],
  ])('%s leaves the size as it is', async (_, fault) => {
    const world = simulate({ documents: 600, pageSize: 400, faults: at(1)(fault) })
    expect(await world.run()).toMatchObject({ kind: 'ended', pageSize: 400 })
    expect(world.isSuspect()).toBe(false)
  })

  it('that lasts fails the run within minutes, and says why', async () => {
    const world = simulate({ pageSize: 1000, faults: always({ instead: 408 }) })
    const began = world.clock.now
    let end = await world.run()
    while (end.kind === 'wait') {
      world.clock.now += end.waitMs ?? 0
      const position = { ...world.store.position, pageSize: end.pageSize }
      end = await world.run({ retryState: end.retryState, position })
    }
    expect(end).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/408.*8 times in a row\.$/),
    })
    expect(world.targets.at(-1)).toContain('_size=50')
    expect(world.clock.now - began).toBeLessThan(5 * minute)
  })

  it.each([400, 401, 403, 404])('%i is final', async (status) => {
    const world = simulate({ faults: at(1)({ instead: status }) })
    expect(await world.run()).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining(String(status)),
    })
    expect(world.count.requests).toBe(1)
  })

  it('a page without a token that proves malformed is asked for again, smaller', async () => {
    const world = simulate({
      documents: 100,
      pageSize: 200,
      tokenHeader: 'none',
      faults: at(1)({ lost: 'malformed' }),
    })
    expect(await world.run()).toMatchObject({ kind: 'ended', pageSize: 100 })
    expect(world.isSuspect()).toBe(false)
    expect(world.store.lines).toEqual(world.all)
  })
})

describe('trouble with a later page', () => {
  it.each<[string, Fault, RegExp]>([
    ['a time-out', { lost: 'timeout' }, /did not answer in time/],
    ['a reset', { lost: 'interrupted' }, /connection broke/],
    ['HTML', { lost: 'html' }, /no JSON array/],
    ['a 500', { instead: 500 }, /answered 500/],
    ['a 503', { instead: 503 }, /answered 503/],
  ])('%s makes the attempt suspect before anything else is asked for', async (_, fault, detail) => {
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
    ['a connection that is refused', { instead: 'unreachable' }],
  ])('%s makes nothing suspect: nothing was done', async (_, fault) => {
    const world = simulate({ faults: at(2, 4)(fault) })
    expect((await world.run()).kind).toBe('ended')
    expect(world.isSuspect()).toBe(false)
    expect(world.store.lines).toEqual(world.all)
    expect(world.journal.filter((entry) => entry.startsWith('sleep'))).toEqual(['sleep 500', 'sleep 500'])
  })

  it('a page that was lost is missing under a cursor and comes again under a positional token', async () => {
    const faults = at(2)({ lost: 'timeout' })
    const cursor = simulate({ tokens: 'cursor', faults })
    await cursor.run()
    expect(cursor.store.position.documentsSoFar).toBe(7)
    const positional = simulate({ tokens: 'positional', faults })
    await positional.run()
    expect(positional.store.lines).toEqual(positional.all)
    expect([cursor.isSuspect(), positional.isSuspect()]).toEqual([true, true])
  })

  it('keys that are rejected end the run at once, with what came before committed', async () => {
    const world = simulate({ faults: at(3)({ instead: 401 }) })
    expect(await world.run()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('secret') })
    expect(world.store.position.page).toBe(2)
    expect(world.memory.background).toBe(0)
  })

  it('that lasts leads to a new attempt, within minutes', async () => {
    const world = simulate({ faults: (request) => (request > 1 ? { lost: 'timeout' } : undefined) })
    let end = await world.run()
    while (end.kind === 'wait') {
      world.clock.now += end.waitMs ?? 0
      end = await world.run({ retryState: end.retryState })
    }
    expect(end).toMatchObject({ kind: 'new-attempt', reason: expect.stringMatching(/8 times in a row/) })
    expect(end.retryState).toBeUndefined()
    expect(world.count.requests).toBe(9)
  })

  it('is forgotten with the next page that is committed', async () => {
    const world = simulate({
      documents: 60,
      faults: (request) => (request % 2 || request > 30 ? undefined : { instead: 429 }),
    })
    expect(await world.run()).toMatchObject({ kind: 'ended', retryState: undefined })
    expect(new Set(world.journal.filter((entry) => entry.startsWith('sleep')))).toEqual(
      new Set(['sleep 500']),
    )
  })
})

describe('a page that proves malformed when it is stored', () => {
  it.each([
    ['another page follows', 2, 7],
    ['the end follows', 4, 9],
  ])('is a lost page, and what came meanwhile counts: %s', async (_, request, documents) => {
    const world = simulate({ tokens: 'cursor', faults: at(request)({ lost: 'malformed' }) })
    expect((await world.run()).kind).toBe('ended')
    expect(world.isSuspect()).toBe(true)
    expect(world.store.position).toMatchObject({ documentsSoFar: documents, end: true })
    const malformed = world.journal.indexOf(`malformed ${request}`)
    const suspect = world.journal.findIndex((entry) => entry.startsWith('suspect'))
    expect(suspect).toBeGreaterThan(malformed)
    expect(
      world.journal.slice(malformed, suspect).filter((entry) => /request|commit|end/.test(entry)),
    ).toEqual([])
    expect(world.count.requests).toBe(5)
  })

  it('is recorded before the worker hands over', async () => {
    const world = simulate({ faults: at(2)({ lost: 'malformed' }), timeIsUp: (call) => call === 3 })
    expect((await world.run()).kind).toBe('time-is-up')
    expect(world.isSuspect()).toBe(true)
    expect(world.store.position.page).toBe(1)
  })

  it('comes to an end when all are', async () => {
    const world = simulate({
      documents: 300,
      faults: (request) => (request > 1 ? { lost: 'malformed' } : undefined),
    })
    let end = await world.run()
    while (end.kind === 'wait') end = await world.run({ retryState: end.retryState })
    expect(end.kind).toBe('new-attempt')
    expect(world.count.requests).toBeLessThan(20)
  })
})

describe('a wait', () => {
  const busy = (seconds: number) => ({ instead: 429, headers: { 'retry-after': String(seconds) } })

  it('of up to 10 seconds is the worker’s own', async () => {
    const world = simulate({ faults: at(2)(busy(10)) })
    expect((await world.run()).kind).toBe('ended')
    expect(world.journal).toContain('sleep 10000')
  })

  it('that is longer is handed over, with everything committed and nothing in flight', async () => {
    const world = simulate({ faults: at(2)(busy(11)), keepTurns: () => 4 })
    const end = await world.run()
    expect(end).toMatchObject({ kind: 'wait', waitMs: 11_000, retryState: { tries: 1 }, pageSize: 3 })
    expect(end.reason).toMatch(/429/)
    expect(world.journal.filter((entry) => entry.startsWith('sleep'))).toEqual([])
    expect(world.store.position.page).toBe(1)
    expect(world.memory.background).toBe(0)
    world.clock.now += 11_000
    expect((await world.run({ retryState: end.retryState })).kind).toBe('ended')
    expect(world.store.lines).toEqual(world.all)
    expect(world.isSuspect()).toBe(false)
  })

  it('for a first page hands on the size that comes next', async () => {
    const fault = { instead: 503, headers: { 'retry-after': '60' } }
    const world = simulate({ documents: 400, pageSize: 400, faults: at(1)(fault) })
    expect(await world.run()).toMatchObject({ kind: 'wait', waitMs: minute, pageSize: 200 })
  })

  it('is 15 minutes at most', async () => {
    const world = simulate({ faults: at(2)(busy(86_400)) })
    expect(await world.run()).toMatchObject({ kind: 'wait', waitMs: 15 * minute })
  })
})

describe('whatever happens on the way', () => {
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
    handOvers: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
    keepTurns: fc.nat(3),
  })

  it('an attempt that ends without suspicion has every document once, and one that does not end says why', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ faults, handOvers, keepTurns, ...given }) => {
        const world = simulate({
          ...given,
          faults: (request) => faults[request - 1],
          timeIsUp: (call) => handOvers.includes(call),
          keepTurns: () => keepTurns,
        })
        let end = await world.run()
        for (let workers = 1; end.kind === 'wait' || end.kind === 'time-is-up'; workers++) {
          expect(workers).toBeLessThan(100)
          expect(world.memory.background).toBe(0)
          world.clock.now += end.waitMs ?? 0
          const position = world.store.position.page
            ? world.store.position
            : { ...world.store.position, pageSize: end.pageSize }
          end = await world.run({ retryState: end.retryState, position })
        }
        expect(world.memory.background).toBe(0)
        expect(world.memory.most).toBeLessThanOrEqual(2)
        const whole = JSON.stringify(world.store.lines) === JSON.stringify(world.all)
        expect(end.kind !== 'ended' || whole || world.isSuspect()).toBe(true)
        expect(end.kind === 'ended' || end.reason?.endsWith('.')).toBe(true)
        // Nothing is ever made up or put out of order.
        const ids = world.store.lines.map((line) => Number(JSON.parse(line).id))
        expect(ids).toEqual(ids.toSorted((one, other) => one - other))
      }),
      { numRuns: 300 },
    )
  })
})
