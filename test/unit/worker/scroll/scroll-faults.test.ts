import { describe, expect, it } from 'vitest'
import { at, type Fault, simulate } from './simulated-scroll.ts'

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
})

it.each([
  ['another page follows', 2, 7],
  ['the end follows', 4, 9],
])(
  'a page that is found malformed when it is prepared is lost, and what was received meanwhile counts: %s',
  async (_, request, documents) => {
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
  },
)
