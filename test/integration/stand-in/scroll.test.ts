import { describe, expect, it } from 'vitest'
import { makeDocument } from '../../../local/stand-in/documents.ts'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { renderings, renderPage } from '../../../local/stand-in/rendering.ts'
import { documents, numbers, range, tokenOf, useStandIn } from './running-platform.ts'

const standIn = useStandIn()
const { start, call, first, next } = standIn

describe('a scroll', () => {
  it.each([
    { tokens: 'cursor', same: true, pages: [range(10, 20), range(20, 25)] },
    { tokens: 'changing-cursor', same: false, pages: [range(10, 20), range(20, 25)] },
    { tokens: 'positional', same: false, pages: [range(10, 20), range(10, 20)] },
  ] as const)(
    'returns pages $pages when the first token is sent twice with $tokens tokens',
    async ({ tokens, same, pages }) => {
      await start({ scroll: { tokens } })
      const one = tokenOf(await first())
      const second = await next(one)
      expect(tokenOf(second) === one).toBe(same)
      expect([numbers(second), numbers(await next(one))]).toEqual(pages)
    },
  )

  it.each([
    ['empty', 200, ''],
    ['brackets', 200, '[]'],
    ['no-content', 204, ''],
    ['white-space', 200, ' \r\n\t '],
    ['null', 200, 'null'],
    ['refused', 400, '{"Message":"Operation not found"}'],
    ['gone', 410, ''],
  ] as const)('ends with %s, again and again', async (end, status, body) => {
    await start({ scroll: { end } })
    const token = tokenOf(await first(25))
    for (const got of [await next(token), await next(token)])
      expect({ status: got.status, body: String(got.body) }).toEqual({ status, body })
  })

  it.each(renderings)('has the same values when rendered %s', async (rendering) => {
    const odd = Buffer.from('{"id":"a","n":12345678901234567890.10,"s":"[\\"{\\\\,:\u{1F30A}","e":[],"o":{}}')
    await start({ scroll: { rendering }, documents: { CL: [odd, odd] } })
    const got = await first()
    expect(got.body).toEqual(renderPage([odd, odd], rendering))
    expect(String(got.body)).toContain('12345678901234567890.10')
    const text = String(got.body).replace('\ufeff', '')
    expect(JSON.parse(text)).toEqual([JSON.parse(String(odd)), JSON.parse(String(odd))])
    expect(text.includes('\r\n')).toBe(rendering === 'crlf' || rendering === 'byte-order-mark')
  })

  it.each([
    ['right', '25'],
    ['missing', undefined],
    [{ offBy: -2 }, '23'],
    [{ value: 'many' }, 'many'],
  ] as const)('reports a total that is %j', async (total, header) => {
    await start({ scroll: { total } })
    expect((await first()).headers['rest-content-total']).toBe(header)
  })

  it('expires its token after 20 minutes without requests, and on demand', async () => {
    const clock = { now: Date.now() }
    await start({ now: () => clock.now })
    const token = tokenOf(await first())
    for (let request = 0; request < 2; request++) {
      clock.now += 20 * 60_000
      expect((await next(token)).status).toBe(200)
    }
    clock.now += 20 * 60_000 + 1
    const dead = await next(token)
    expect(dead.status).toBe(400)
    expect(JSON.parse(String(dead.body))).toEqual({
      Message: `Operation not found for this token: '${token}'`,
    })
    const other = tokenOf(await first())
    standIn.platform.expireTokens()
    expect((await next(other)).status).toBe(400)
  })

  it('is refused while the maximum number of scrolls is open', async () => {
    await start({ scroll: { maxScrolls: 2 } })
    const token = tokenOf(await first(25))
    await first()
    const refused = await first()
    expect([refused.status, String(refused.body)]).toEqual([
      400,
      '{"Message":"Maximum simultaneous scrolls rate exceeded (2)"}',
    ])
    await next(token)
    expect((await first()).status).toBe(200)
  })

  it('counts an abandoned scroll until its token expires', async () => {
    const clock = { now: Date.now() }
    await start({ scroll: { maxScrolls: 1, tokenLifeMs: 100 }, now: () => clock.now })
    await first()
    expect((await first()).status).toBe(400)
    clock.now += 101
    expect((await first()).status).toBe(200)
  })

  it.each([
    ['?_size=1001', 400],
    ['?_size=0', 400],
    ['?_size=10&_token=x', 400],
    ['?_token=unknown', 400],
  ])('refuses %s', async (query, status) => {
    await start()
    expect((await call(`/api/dataentities/CL/scroll${query}`)).status).toBe(status)
  })

  it('filters and projects', async () => {
    await start()
    expect(numbers(await first(10, '&number=7'))).toEqual([7])
    expect(numbers(await first(10, '&_where=number%3D3%20AND%20address%20is%20null'))).toEqual([3])
    expect(String((await first(1, '&_fields=number,missing')).body)).toBe('[{"number":0,"missing":null}]')
  })

  it('shows documents that are created during a live scroll', async () => {
    await start({ documents: { CL: [...documents] }, scroll: { live: true } })
    const token = tokenOf(await first(20))
    ;(standIn.platform.documents.get('CL') as Buffer[]).push(makeDocument(25))
    expect(numbers(await next(token))).toEqual(range(20, 26))
  })

  it('ignores the filter in all pages of a live scroll, or in none', async () => {
    await start({ scroll: { live: true } })
    standIn.platform.faults.add({ match: onScroll({ page: 1 }), fault: { kind: 'ignore-filter' } })
    const ignoring = await first(20, '&_where=number<2')
    expect(numbers(ignoring)).toEqual(range(0, 20))
    expect(numbers(await next(tokenOf(ignoring)))).toEqual(range(20, 25))
    expect(numbers(await first(20, '&_where=number<2'))).toEqual([0, 1])
  })
})
