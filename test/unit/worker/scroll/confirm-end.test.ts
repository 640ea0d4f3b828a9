import { describe, expect, it } from 'vitest'
import { at, documentsOf, type Fault, type Simulation, simulate } from './simulated-scroll.ts'

const minute = 60_000

/**
 * A scroll of seven documents in three pages: the response to the fourth request is the end, and the fifth confirms it.
 */
const short = (change: Partial<Simulation> = {}) => simulate({ documents: 7, total: () => '10', ...change })
const withoutTotal = (change: Partial<Simulation> = {}) =>
  simulate({ documents: 7, total: () => undefined, ...change })

describe('an end before the reported total', () => {
  it('is requested once more with the same token, and accepted the second time', async () => {
    const world = short()
    expect(await world.run()).toMatchObject({
      kind: 'ended',
      position: { documentsSoFar: 7, evidence: 'confirmed' },
    })
    // Three pages, the end, and the end once more.
    expect(world.targets.slice(3)).toEqual(Array.from({ length: 2 }, () => world.targets[3]))
    expect(world.isSuspect()).toBe(false)
  })

  it.each([400, 404, 410, 422])('is known by a refusal with status %i', async (status) => {
    const world = short({ faults: at(5)({ instead: status }) })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'refused' } })
    expect(world.count.requests).toBe(5)
    expect(world.isSuspect()).toBe(false)
  })

  it.each([401, 403, 408, 425])('is not known by status %i, which is requested again', async (status) => {
    const world = short({ faults: at(5)({ instead: status }) })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'confirmed' } })
    expect(world.count.requests).toBe(6)
    expect(world.isSuspect()).toBe(false)
    const silent = short({ faults: at(5, 6)({ instead: status }) })
    expect(await silent.run()).toMatchObject({ kind: 'ended', position: { evidence: 'unconfirmed' } })
  })

  it.each<[string, Fault]>([
    ['429', { instead: 429 }],
    ['a 429 that asks to wait', { instead: 429, headers: { 'retry-after': '7.5' } }],
  ])('is requested again after the wait that throttling asks for: %s', async (_, fault) => {
    const world = simulate({
      tokens: 'positional',
      documents: 9,
      faults: (request) => (request === 3 ? { lost: 'empty' } : request === 4 ? fault : undefined),
    })
    expect(await world.run()).toMatchObject({
      kind: 'ended',
      position: { documentsSoFar: 9, evidence: 'confirmed' },
    })
    expect(world.journal).toContain(`sleep ${'headers' in fault ? 8_000 : 500}`)
    expect(world.store.lines).toEqual(world.all)
  })

  it.each([
    ['is requested once more if repeated documents make up for missing ones', '10', 2],
    ['is requested once more if there are more repeated documents than missing ones', '8', 2],
    ['is not requested again if more documents than reported were received, but no fewer ids', '7', 1],
  ])('%s', async (_, total, ends) => {
    const [first, rest] = [documentsOf(3), documentsOf(7).slice(3)]
    const world = simulate({ documents: [...first, ...first, ...rest], total: () => total })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { documentsSoFar: 10 } })
    expect(world.count.requests).toBe(4 + ends)
  })
})

describe('an end without a reported total', () => {
  it('is confirmed by a new scroll that begins again with the first page', async () => {
    const world = withoutTotal({ faults: at(5)({ instead: 200, body: `[${documentsOf(3).join(',')}]` }) })
    expect(await world.run()).toMatchObject({
      kind: 'ended',
      position: { documentsSoFar: 7, evidence: 'confirmed' },
    })
    expect(world.count.requests).toBe(5)
    expect(world.isSuspect()).toBe(false)
    expect(world.store.lines).toEqual(world.all)
  })

  it.each<[string, Fault]>([
    ['a 500', { instead: 500 }],
    ['a 503', { instead: 503 }],
    ['a timeout', { lost: 'timeout' }],
    ['a broken connection', { lost: 'interrupted' }],
    ['a refused connection', { instead: 'unreachable' }],
    ['HTML', { instead: 200, body: '<html></html>' }],
    ['a body that is cut off', { instead: 200, body: '[{"id":"9"}' }],
    ['a malformed page', { instead: 200, body: '[{}{}]' }],
    ['a 401', { instead: 401 }],
    ['a page of a firewall', { instead: 403, body: '<html></html>' }],
    ['an old page of a cache', { lost: 'aged' }],
    ['a response that cannot be read', { lost: 'unreadable' }],
  ])(
    'is requested a second time, and not suspect, after %s, and is not confirmed after another',
    async (_, fault) => {
      const world = withoutTotal({ faults: at(5)(fault) })
      expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'confirmed' } })
      expect(world.count.requests).toBe(6)
      expect(world.store.lines).toEqual(world.all)
      const twice = withoutTotal({ faults: at(5, 6)(fault) })
      expect(await twice.run()).toMatchObject({ kind: 'ended', position: { evidence: 'unconfirmed' } })
      expect([twice.count.requests, twice.journal.at(-1)]).toEqual([6, 'unconfirmed end'])
      expect([world.isSuspect(), twice.isSuspect()]).toEqual([false, false])
    },
  )

  it('gives each request 30 seconds, and repeats it within moments', async () => {
    const world = withoutTotal({ faults: at(5, 6)({ lost: 'timeout' }) })
    const limits: (number | undefined)[] = []
    const request = (target: string, _: unknown, { maxMs }: { readonly maxMs?: number } = {}) => {
      limits.push(maxMs)
      return world.request(target)
    }
    const before = world.clock.now
    await world.run({ io: { request } })
    expect(limits).toEqual([undefined, undefined, undefined, undefined, 30_000, 30_000])
    expect(world.clock.now - before).toBeLessThanOrEqual(2_000)
  })

  it('is not confirmed if the token expires by the clock in the meantime', async () => {
    const world = withoutTotal({ faults: at(5)({ lost: 'timeout' }) })
    const wait = async () => {
      world.clock.now += 20 * minute
    }
    expect(await world.run({ io: { wait } })).toMatchObject({
      kind: 'ended',
      position: { documentsSoFar: 7, evidence: 'unconfirmed' },
    })
    expect(world.count.requests).toBe(5)
  })

  it('is requested again at once although the time is up, since the platform may forget its token', async () => {
    const world = withoutTotal({ timeIsUp: (call) => call >= 5 })
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'confirmed' } })
    expect(world.count.requests).toBe(5)
  })
  it('is left to the next worker if the time is up and the outcome is unknown', async () => {
    // Asked before each of four requests, and before the end is requested for the second time.
    const world = withoutTotal({ faults: at(5)({ lost: 'timeout' }), timeIsUp: (call) => call === 5 })
    expect(await world.run()).toMatchObject({ kind: 'time-is-up' })
    expect(world.count.requests).toBe(5)
    expect(await world.run()).toMatchObject({ kind: 'ended', position: { evidence: 'confirmed' } })
    expect(world.count.requests).toBe(7)
  })

  it('throws what is not an outcome of the request', async () => {
    const ours = new TypeError('ours')
    await expect(withoutTotal({ faults: at(5)({ throws: ours }) }).run()).rejects.toBe(ours)
  })
})

describe('a range that begins with an end', () => {
  const empty = { documents: 0, total: () => '0', tokenHeader: 'none' } as const

  it('is requested again, although the platform reports that it is empty', async () => {
    const world = simulate(empty)
    expect(await world.run({ isRange: true })).toMatchObject({
      kind: 'ended',
      position: { evidence: 'confirmed' },
    })
    expect(world.targets).toEqual([world.targets[0], world.targets[0]])
  })

  it('is compared with searches before it is requested again', async () => {
    const opening = () => ({ kind: 'disagreement', reason: 'Searches find 5.' }) as const
    const world = simulate({ ...empty, opening })
    expect(await world.run({ isRange: true })).toEqual(opening())
    expect(world.count.requests).toBe(1)
  })

  it('takes the total that searches found if the scroll reports none', async () => {
    const opening = () => ({ kind: 'agreement', total: 0 }) as const
    const world = simulate({ ...empty, total: () => undefined, opening })
    expect(await world.run({ isRange: true })).toMatchObject({ kind: 'ended', position: { total: 0 } })
  })
})

const empty = { documents: 0, total: () => '0', tokenHeader: 'none' } as const
it.each<Fault>([{ instead: 400 }, { instead: 503 }, { lost: 'timeout' }])(
  'an empty range whose repeated request does not return an end is not confirmed by %o',
  async (fault) => {
    const world = simulate({ ...empty, faults: at(2, 3)(fault) })
    expect(await world.run({ isRange: true })).toMatchObject({ position: { evidence: 'unconfirmed' } })
    expect(world.count.requests).toBe(3)
  },
)

it('the first page of a range is announced before it is requested, each time', async () => {
  const world = simulate({ faults: at(1)({ instead: 503 }) })
  const openings: number[] = []
  const beforeOpening = async () => void openings.push(world.count.requests)
  await world.run({ io: { beforeOpening } })
  expect(openings).toEqual([0, 1])
})
