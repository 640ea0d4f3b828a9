import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PreparedPage } from '../../../../functions/worker/page/store.ts'
import { failOnUnhandledRejections, simulate } from './simulated-scroll.ts'

failOnUnhandledRejections()
const emptyPage: PreparedPage = {
  object: Buffer.alloc(0),
  sha256: Buffer.alloc(32),
  documents: 0,
  documentsWithoutId: 0,
  fingerprints: Buffer.alloc(0),
  spaceBytes: 0,
  replacesLineBreaks: false,
}
const tokens = fc.constantFrom('cursor' as const, 'positional' as const)

describe('a scroll without faults', () => {
  it.each(['cursor', 'positional'] as const)(
    'receives every document once and in order with %s tokens',
    async (kind) => {
      const world = simulate({ tokens: kind })
      expect(await world.run()).toMatchObject({ kind: 'ended' })
      expect(world.store.lines).toEqual(world.all)
      expect(world.store.position).toMatchObject({ kind: 'end', documentsSoFar: 10, total: 10, page: 5 })
      expect(world.isSuspect()).toBe(false)
    },
  )

  it('prepares a page while the previous one is being committed', async () => {
    const world = simulate({ documents: 9, storeTurns: () => 50 })
    await world.run({
      io: {
        prepare: async (body) => {
          world.journal.push(`prepare ${body.length > 2}`)
          return { ...emptyPage, documents: 3 }
        },
      },
    })
    const second = world.journal.indexOf('request 2')
    expect(world.journal.slice(second, second + 3)).toEqual(['request 2', 'prepare true', 'commit 1'])
    expect(world.journal.filter((entry) => entry.startsWith('prepare'))).toHaveLength(3)
  })

  it('keeps that order and at most two pages in memory, however slow the platform and the store are', async () => {
    const slowness = fc.array(fc.nat(5), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(slowness, slowness, tokens, async (requests, stores, kind) => {
        const world = simulate({
          documents: 20,
          tokens: kind,
          requestTurns: (number) => requests[number % requests.length] ?? 0,
          storeTurns: (page) => 1 + (stores[page % stores.length] ?? 0),
        })
        await world.run()
        const at = (entry: string) => world.journal.indexOf(entry)
        for (let page = 1; page <= 7; page++) {
          expect(at(`request ${page + 1}`)).toBeLessThan(at(`commit ${page}`))
          expect(at(`commit ${page}`)).toBeLessThan(page < 7 ? at(`request ${page + 2}`) : at('end'))
          expect(page === 7 || at(`commit ${page}`) < at(`store ${page + 1}`)).toBe(true)
        }
        expect(world.store.lines).toEqual(world.all)
        expect(world.memory).toMatchObject({ pages: 0, background: 0 })
        expect(world.memory.most).toBeLessThanOrEqual(2)
      }),
    )
  })
})

describe('the requests', () => {
  it('have the size and the query first, then only the token', async () => {
    const world = simulate({ query: { _fields: 'id,name', _where: 'a=b AND c>1', tag: ['x', 'y&z'] } })
    await world.run()
    expect(world.targets[0]).toBe(
      '/api/dataentities/CL/scroll?_size=3&_fields=id%2Cname&_where=a%3Db+AND+c%3E1&tag=x&tag=y%26z',
    )
    expect(new Set(world.targets.slice(1))).toEqual(new Set(['/api/dataentities/CL/scroll?_token=scroll-1']))
  })

  it('have the newest token', async () => {
    const world = simulate({ tokens: 'positional', documents: 7 })
    await world.run()
    expect(
      world.targets.slice(1).map((target) => new URL(target, 'http://x').searchParams.get('_token')),
    ).toEqual(['scroll-1:3', 'scroll-1:6', 'scroll-1:9'])
  })

  it('have the last token if a response has none', async () => {
    const world = simulate({ tokenHeader: 'first' })
    expect((await world.run()).kind).toBe('ended')
    expect(world.store.lines).toEqual(world.all)
    expect(world.store.position.token).toBe('scroll-1')
  })

  it('encode a token', async () => {
    const world = simulate({ documents: 3 })
    const strange = 'a+b/c=&_size=1 é'
    const token = { 'x-svc-md-token': strange, 'rest-content-total': '1' }
    let asked = 0
    const targets: string[] = []
    const request = async (target: string) => {
      targets.push(target)
      return { status: 200, headers: token, body: Buffer.from(asked++ === 0 ? '[{"id":1}]' : '') }
    }
    await world.run({ io: { request } })
    expect([...new URL(targets[1] ?? '', 'http://x').searchParams]).toEqual([['_token', strange]])
  })
})

describe('the total', () => {
  it('is the one of the first page, whatever later ones report', async () => {
    const world = simulate({ total: (page) => (page === 1 ? '10' : '99') })
    await world.run()
    expect(world.store.position.total).toBe(10)
  })

  it('is not taken from a later page', async () => {
    const world = simulate({ total: (page) => (page === 1 ? undefined : '10') })
    await world.run()
    expect(world.store.position.total).toBe('not-reported')
  })

  it.each([
    [' 10 ', 10],
    ['0', 0],
    ['', 'malformed'],
    ['ten', 'malformed'],
    ['-1', 'malformed'],
    ['1e3', 'malformed'],
    ['10.5', 'malformed'],
    ['10.0', 10],
    ['1000,1000', 1000],
    ['1000, 1001', 'malformed'],
    ['9'.repeat(16), Number.MAX_SAFE_INTEGER],
  ])('%j is %s', async (text, total) => {
    const world = simulate({ documents: 2, total: () => text })
    await world.run()
    expect(world.store.position.total).toBe(total)
  })

  it('is continued from what is committed', async () => {
    const world = simulate({
      timeIsUp: (call) => call === 3,
      total: (page) => (page === 1 ? '10' : undefined),
    })
    expect((await world.run()).kind).toBe('time-is-up')
    await world.run()
    expect(world.store.position).toMatchObject({ total: 10, kind: 'end' })
  })
})
