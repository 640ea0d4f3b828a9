import { describe, expect, it } from 'vitest'
import { at, simulate } from './simulated-scroll.ts'

const minute = 60_000

it('what a crashed worker left is a scroll that has ended if the last page came without a token', async () => {
  const world = simulate()
  const responded = { total: 3, openedAt: world.clock.now, respondedAt: world.clock.now }
  world.store.position = { ...world.store.position, ...responded, kind: 'page', page: 1, documentsSoFar: 3 }
  expect(await world.run()).toMatchObject({ kind: 'ended', position: { documentsSoFar: 3 } })
  expect(world.journal).toEqual(['end'])
})

it('a retry state that a crashed worker left does not count if a page was committed since', async () => {
  const world = simulate({ timeIsUp: (call) => call === 3, faults: at(3)({ lost: 'timeout' }) })
  await world.run()
  const { respondedAt } = world.store.position
  const left = (since: number) =>
    world.run({ retryState: { since, last: { kind: 'outage', tries: 7, since } } })
  expect((await left(respondedAt - 1)).kind).toBe('ended')
  const before = simulate({ timeIsUp: (call) => call === 3, faults: at(3)({ lost: 'timeout' }) })
  await before.run()
  const since = before.store.position.respondedAt + 1
  const retryState = { since, last: { kind: 'outage', tries: 7, since } } as const
  expect((await before.run({ retryState })).kind).toBe('new-attempt')
})

describe('a wait', () => {
  const busy = (seconds: number) => ({ instead: 429, headers: { 'retry-after': String(seconds) } })

  it('that is longer is handed off, with everything committed and nothing in flight', async () => {
    const world = simulate({ faults: at(2)(busy(11)), storeTurns: () => 4 })
    const end = await world.run()
    expect(end).toMatchObject({
      kind: 'wait',
      waitMs: 11_000,
      retryState: { last: { tries: 1 } },
      pageSize: 3,
    })
    if (end.kind !== 'wait') throw new Error('It does not wait.')
    expect(end.reason).toMatch(/429/)
    expect(world.journal.filter((entry) => entry.startsWith('sleep'))).toEqual([])
    expect(world.store.position.page).toBe(1)
    expect(world.memory.background).toBe(0)
    world.clock.now += 11_000
    expect((await world.run({ retryState: end.retryState })).kind).toBe('ended')
    expect(world.store.lines).toEqual(world.all)
    expect(world.isSuspect()).toBe(false)
  })

  it('never outlives the token: a new attempt begins instead', async () => {
    const waits = simulate({ faults: at(2)(busy(19 * 60)) })
    expect(await waits.run()).toMatchObject({ kind: 'wait', waitMs: 19 * minute })
    const gives = simulate({ faults: at(2)(busy(20 * 60)) })
    expect(await gives.run()).toMatchObject({ kind: 'new-attempt', reason: expect.stringContaining('429') })
  })
})

describe('a page that is being prepared when the scroll stops', () => {
  it('is awaited', async () => {
    const world = simulate({
      documents: 9,
      prepareTurns: 20,
      storeThrows: () => new Error('The store failed.'),
    })
    await expect(world.run()).rejects.toThrow('The store failed.')
    expect(world.memory.background).toBe(0)
  })

  it('is awaited if the previous page was malformed and the worker hands off', async () => {
    const world = simulate({ documents: 9, faults: at(2)({ lost: 'malformed' } as const) })
    const since = world.clock.now
    const waiting = { since, last: { kind: 'outage', tries: 6, since } } as const
    expect((await world.run({ retryState: waiting })).kind).toBe('ended')
    expect(world.memory.background).toBe(0)
  })
})
