import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../../../../functions/upstream/errors.ts'
import { LeaseLost } from '../../../../stored/lease.ts'
import { failOnUnhandledRejections, type Simulation, simulate } from './simulated-scroll.ts'

failOnUnhandledRejections()

const minute = 60_000

describe('the end', () => {
  it('may come at once', async () => {
    const world = simulate({ documents: 0 })
    expect((await world.run()).kind).toBe('ended')
    expect(world.journal).toEqual(['request 1', 'end'])
    expect(world.store.position).toMatchObject({ kind: 'end', page: 1, total: 0 })
  })

  it('follows a single page without a token', async () => {
    const world = simulate({ documents: 3, tokenHeader: 'none' })
    expect((await world.run()).kind).toBe('ended')
    expect(world.journal).toEqual(['request 1', 'store 1', 'commit 1', 'end'])
  })

  it.each([
    ['fewer than the total', { documents: 4 }],
    ['no total', { documents: 3, total: () => undefined }],
  ])('is suspect after one page without a token and %s', async (_, change: Simulation) => {
    const world = simulate({ tokenHeader: 'none', ...change })
    expect((await world.run()).kind).toBe('ended')
    expect(world.journal).toEqual([
      'request 1',
      'store 1',
      'commit 1',
      'suspect: the first page came without a token',
      'end',
    ])
  })
})

describe('a scroll that does not end', () => {
  it('is stopped when it has sent more than twice the reported total', async () => {
    const world = simulate({ endless: true, documents: 10 })
    expect(await world.run()).toMatchObject({ kind: 'fail', reason: expect.stringContaining('total of 10') })
    expect(world.store.position).toMatchObject({ documentsSoFar: 21 })
    expect(world.memory.background).toBe(0)
  })

  it('may send exactly twice the reported total', async () => {
    const world = simulate({ documents: 24, total: () => '12' })
    expect((await world.run()).kind).toBe('ended')
    expect(world.store.position.documentsSoFar).toBe(24)
  })

  it('may send few documents per page', async () => {
    const world = simulate({ documents: 40, pageSize: 1000, maxPageDocuments: 1 })
    expect((await world.run()).kind).toBe('ended')
    expect(world.store.lines).toEqual(world.all)
  })
})

describe('a worker whose time is up', () => {
  it('hands off with everything committed and nothing in flight, and the next one continues', async () => {
    for (let calls = 1; calls <= 5; calls++) {
      const world = simulate({ timeIsUp: (call) => call === calls, storeTurns: () => 4 })
      expect(await world.run()).toMatchObject({ kind: 'time-is-up', pageSize: 3 })
      expect(world.count.requests).toBe(calls - 1)
      expect(world.store.position).toMatchObject({ page: calls - 1 })
      expect(world.memory.background).toBe(0)
      expect((await world.run()).kind).toBe('ended')
      expect(world.store.lines).toEqual(world.all)
      expect(world.isSuspect()).toBe(false)
    }
  })
})

describe('a token', () => {
  it('expires 20 minutes after the last response, less half a minute for the request', async () => {
    const world = simulate({ timeIsUp: (call) => call === 2 })
    await world.run()
    world.clock.now += 20 * minute - 30_000
    expect((await world.run()).kind).toBe('ended')

    const late = simulate({ timeIsUp: (call) => call === 2 })
    await late.run()
    late.clock.now += 20 * minute - 30_000 + 1
    expect(await late.run()).toMatchObject({
      kind: 'new-attempt',
      reason: expect.stringMatching(/20 minutes/),
    })
    expect(late.count.requests).toBe(1)
  })

  it('lives longer with each response', async () => {
    const world = simulate({ documents: 30, requestTakesMs: 3 * minute })
    expect((await world.run()).kind).toBe('ended')
  })

  it('leads to a new attempt when the platform reports that it has expired, without becoming suspect', async () => {
    const world = simulate({ faults: (request) => (request === 3 ? { instead: 400 } : undefined) })
    expect(await world.run()).toMatchObject({
      kind: 'new-attempt',
      reason: 'The platform responded with 400: {"Message":"no"}.',
      pageSize: 3,
    })
    expect(world.isSuspect()).toBe(false)
    expect(world.store.position.page).toBe(2)
    expect(world.memory.background).toBe(0)
  })
})

describe('a worker that lost its lease', () => {
  it.each([1, 2, 3, 4])('stops at page %i, with no work left in the background', async (page) => {
    const leaseLost = new LeaseLost('Another worker has it.')
    const world = simulate({
      storeThrows: (call) => (call === page ? leaseLost : undefined),
      storeTurns: () => 3,
    })
    await expect(world.run()).rejects.toBe(leaseLost)
    expect(world.journal.at(-1)).toBe(`LeaseLost ${page}`)
    expect(world.store.position.page).toBe(page - 1)
    expect(world.memory.background).toBe(0)
  })

  it('stops without another request, after what it was storing', async () => {
    const world = simulate({ storeTurns: () => 5 })
    let requests = 0
    const leaseLost = new LeaseLost('Another worker has it.')
    const request = async (target: string) => {
      if (++requests === 3) throw leaseLost
      return world.request(target)
    }
    await expect(world.run({ io: { request } })).rejects.toBe(leaseLost)
    expect(world.journal.slice(-2)).toEqual(['store 2', 'commit 2'])
    expect(world.memory.background).toBe(0)
  })

  it('stops at the end of the scroll', async () => {
    const world = simulate()
    const leaseLost = new LeaseLost('Another worker has it.')
    await expect(world.run({ io: { storeEnd: () => Promise.reject(leaseLost) } })).rejects.toBe(leaseLost)
    expect(world.memory.background).toBe(0)
  })

  it('stops when it cannot record a lost page', async () => {
    const world = simulate({ faults: (request) => (request === 2 ? { lost: 'timeout' } : undefined) })
    const leaseLost = new LeaseLost('Another worker has it.')
    await expect(world.run({ io: { markSuspect: () => Promise.reject(leaseLost) } })).rejects.toBe(leaseLost)
    expect(world.count.requests).toBe(2)
  })

  it('reports an error of our own in the request', async () => {
    const world = simulate({ storeTurns: () => 5 })
    const ours = new TypeError('ours')
    let asked = 0
    const request = async () => {
      if (++asked === 2) throw ours
      return { status: 200, headers: { 'x-svc-md-token': 't' }, body: Buffer.from('[{"id":1}]') }
    }
    await expect(world.run({ io: { request } })).rejects.toBe(ours)
    expect(world.journal).toEqual(['store 1', 'commit 1'])
    expect(world.memory.background).toBe(0)
  })

  it('leaves no rejection unhandled when the store fails during a slow request', async () => {
    const world = simulate({
      storeThrows: (call) => (call === 1 ? new LeaseLost('Another worker has it.') : undefined),
      requestTurns: (number) => (number === 2 ? 50 : 1),
    })
    await expect(world.run()).rejects.toThrow(LeaseLost)
  })

  it('leaves no rejection unhandled when both fail', async () => {
    const world = simulate({
      storeThrows: () => new LeaseLost('Another worker has it.'),
      storeTurns: () => 20,
    })
    let asked = 0
    const request = async () => {
      if (++asked === 2) throw new UpstreamFailure('timeout')
      return { status: 200, headers: { 'x-svc-md-token': 't' }, body: Buffer.from('[{"id":1}]') }
    }
    await expect(world.run({ io: { request } })).rejects.toThrow(LeaseLost)
    expect(world.memory.background).toBe(0)
  })
})
