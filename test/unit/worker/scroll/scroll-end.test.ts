import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { LeaseLost } from '../../../../stored/lease.ts'
import { failOnUnhandledRejections, type Simulation, simulate } from './simulated-scroll.ts'

failOnUnhandledRejections()

const minute = 60_000

it.each([
  ['fewer than the total', { documents: 4 }],
  ['no total', { documents: 3, total: () => undefined }],
])('the end is suspect after one page without a token and %s', async (_, change: Simulation) => {
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

it('a worker whose time is up hands off with everything committed and nothing in flight, and the next one continues', async () => {
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

it('a token expires 20 minutes after the last response, less half a minute for the request', async () => {
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
