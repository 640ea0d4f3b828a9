import { describe, expect, it } from 'vitest'
import { openingTotal, orderedItems, unknownOutcomes } from '../../../functions/publisher/check/attempt.ts'
import { type EndedScroll, readEnd } from '../../../functions/publisher/check/end.ts'
import type { End } from '../../../functions/publisher/check/proof.ts'
import type { Exchange } from '../../../functions/upstream/recorded-exchange.ts'
import type { CommittedEnd, CommittedPage } from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'

const response = (status: number, body = '', headers: Record<string, string> = {}): Exchange => ({
  at: 1_000,
  status,
  bodyBytes: Buffer.byteLength(body),
  details: { headers, body },
})
const bare = (status: number): Exchange => ({ at: 1_000, status, bodyBytes: 0 })
const tooMany = '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}'
const empty = response(200, '[]')
const refused = response(400, '{"Message":"Operation not found for this token"}')
const failed: Exchange = { at: 2_000, error: 'timeout' }
const page = (...ids: string[]): Exchange => ({
  at: 3_000,
  status: 200,
  bodyBytes: 90,
  details: { headers: {}, body: '[{"id":1}', ids },
})

const broughtAt = (at: number) => ({ at, status: 200, bodyBytes: 9 })
const pagesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    received: { exchanges: [{ at: 1, error: 'not-sent' }, broughtAt(100 * index)] },
  })) as unknown as CommittedPage[]
const ending = (exchanges: readonly Exchange[], token?: string) =>
  ({ page: 4, token, respondedAt: 1, received: { exchanges } }) as unknown as CommittedEnd
const oldEnd = (isConfirmed: boolean) => ({ page: 4, isConfirmed }) as CommittedEnd
const late = { page: 3, received: { exchanges: [failed, broughtAt(1)] } } as unknown as CommittedPage
const scroll = (exchanges: readonly Exchange[], change: Partial<EndedScroll> = {}): EndedScroll => ({
  pages: pagesOf(3),
  end: ending(exchanges),
  uniqueIds: 25,
  total: 25,
  isOfRange: false,
  largestPage: 10,
  largestPages: 2,
  repeatsFirstPage: (ids) => ids.includes('first'),
  ...change,
})
const short = { total: 30 }
const noTotal = { total: undefined }
const malformed = { total: 'malformed' } as const
const fullPages = { uniqueIds: 20, total: 20 }
const onlyOneFull = { ...fullPages, largestPages: 1 }
const onePage = { uniqueIds: 10, total: 10, pages: pagesOf(1), largestPages: 1 }
const asHtml = { 'content-type': 'text/html' }
const typedHtml = response(403, 'no {', asHtml)
const lateHtml = response(403, '\n<!DOCTYPE  html>')
const failedPage = { ...page('first'), status: 503 } as Exchange
const first = { pages: [], uniqueIds: 0, total: 0, largestPage: 0, largestPages: 0 }
const inRange = { ...first, isOfRange: true }

const longer = (body: string) => ({ ...response(200, body), bodyBytes: 1_001 }) as Exchange
const error = response(200, '{"Message":"Operation not found"}')
const rows: [string, EndedScroll, End, string[]][] = [
  ['an empty list at the total', scroll([empty]), 'confirmed', []],
  ['an empty body at the total', scroll([response(200)]), 'confirmed', []],
  ['204 at the total', scroll([response(204)]), 'confirmed', []],
  ['white space at the total', scroll([response(200, ' [ ]\n')]), 'confirmed', []],
  ['null at the total', scroll([response(200, 'null')]), 'confirmed', []],
  ['an empty object at the total', scroll([response(200, '{ }')]), 'confirmed', []],
  ['an error with 200 at the total', scroll([error]), 'confirmed', []],
  ['an error with 200 after full pages', scroll([error], fullPages), 'capped', []],
  ['an error with 200 before the total', scroll([error], short), 'unconfirmed', ['no-list']],
  ['400 at the total', scroll([refused]), 'confirmed', []],
  ['404 at the total', scroll([response(404)]), 'confirmed', []],
  ['a longer object at the total', scroll([longer('{"StackTrace":"')]), 'confirmed', []],
  ['a body that begins with white space', scroll([longer(' \n')]), 'unconfirmed', ['not-json']],
  ['a longer text at the total', scroll([longer('"a {"')]), 'unconfirmed', ['not-json']],
  ['400 at a total of full pages', scroll([refused], fullPages), 'capped', []],
  ['400 at a total of one full page', scroll([refused], onePage), 'confirmed', []],
  ['400 at a total of one page and a smaller one', scroll([refused], onlyOneFull), 'confirmed', []],
  ['null after full pages', scroll([response(200, 'null')], fullPages), 'confirmed', []],
  ['401 at the total', scroll([response(401)]), 'unconfirmed', []],
  ['403 at the total', scroll([response(403, '{}')]), 'unconfirmed', []],
  ['403 with HTML at the total', scroll([response(403, '<html>')]), 'unconfirmed', ['firewall']],
  ['403 with the type of HTML at the total', scroll([typedHtml]), 'unconfirmed', ['firewall']],
  ['408 at the total', scroll([response(408)]), 'unconfirmed', ['408']],
  ['425 at the total', scroll([response(425)]), 'unconfirmed', ['425']],
  ['429 at the total', scroll([response(429)]), 'unconfirmed', []],
  ['too many scrolls at the total', scroll([response(400, tooMany)]), 'unconfirmed', []],
  ['403 with HTML after a line feed', scroll([lateHtml]), 'unconfirmed', ['firewall']],
  ['403 with a part of HTML', scroll([response(403, '<h1>No')]), 'unconfirmed', ['firewall']],
  ['403 with HTML in a text', scroll([response(403, 'no <html>')]), 'unconfirmed', []],
  ['403 with XML', scroll([response(403, '<?xml version="1.0"?>\n<Error/>')]), 'unconfirmed', []],
  ['403 with JSON that is called HTML', scroll([response(403, '{"a":1}', asHtml)]), 'unconfirmed', []],
  ['403 with a list that is called HTML', scroll([response(403, '["a"]', asHtml)]), 'unconfirmed', []],
  ['403 with nothing that is called HTML', scroll([response(403, '', asHtml)]), 'unconfirmed', []],
  ['403 without details', scroll([bare(403)]), 'unconfirmed', []],
  ['400 without details', scroll([bare(400)]), 'confirmed', []],
  ['404 with the text of too many scrolls', scroll([response(404, tooMany)]), 'confirmed', []],
  ['100 at the total', scroll([response(100, '[]')]), 'unconfirmed', ['100']],
  ['300 at the total', scroll([response(300, '[]')]), 'unconfirmed', ['300']],
  ['500 at the total', scroll([response(500, '[]')]), 'unconfirmed', ['500']],
  ['an empty object without a space', scroll([response(200, '{}')]), 'confirmed', []],
  ['a text that ends with null', scroll([response(200, 'not null')]), 'unconfirmed', ['not-json']],
  ['503 and then an empty list at the total', scroll([response(503), empty]), 'confirmed', ['503']],
  ['a text that is not JSON', scroll([response(200, 'null and more')]), 'unconfirmed', ['not-json']],
  ['a time-out and then an empty list', scroll([failed, empty]), 'confirmed', ['timeout']],
  ['a request not sent, then an empty list', scroll([{ at: 1, error: 'not-sent' }, empty]), 'confirmed', []],
  ['no connection, then an empty list', scroll([{ at: 1, error: 'unreachable' }, empty]), 'confirmed', []],
  ['an old empty list', scroll([{ ...empty, age: '5, 61' } as Exchange]), 'unconfirmed', ['cache']],
  ['an empty list of a minute ago', scroll([{ ...empty, age: '60' } as Exchange]), 'confirmed', []],
  ['an empty list after more than the total', scroll([empty], { total: 24 }), 'confirmed', []],
  ['a refusal after more than the total', scroll([refused], { total: 24 }), 'unconfirmed', ['refused']],
  ['no request at the total', scroll([]), 'confirmed', []],
  ['no request before the total', scroll([], short), 'unconfirmed', ['no-token']],
  ['one empty list before the total', scroll([empty], short), 'unconfirmed', []],
  ['two empty lists before the total', scroll([empty, empty], short), 'confirmed', []],
  ['an empty list and a refusal before the total', scroll([empty, refused], short), 'confirmed', []],
  ['an empty list and 429 before the total', scroll([empty, response(429)], short), 'unconfirmed', []],
  ['an empty list and a time-out before the total', scroll([empty, failed], short), 'unconfirmed', []],
  ['a time-out between empty lists before the total', scroll([empty, failed, empty], short), 'confirmed', []],
  ['an empty list and null before a total', scroll([empty, response(200, 'null')], short), 'unconfirmed', []],
  ['the first page again', scroll([empty, page('first')], short), 'confirmed', []],
  ['another page after the end', scroll([empty, page('other')], short), 'unconfirmed', []],
  ['a failed response with the ids of the first page', scroll([empty, failedPage], short), 'unconfirmed', []],
  ['a failed response without details', scroll([empty, bare(503)], short), 'unconfirmed', []],
  ['a refusal before the total', scroll([refused], short), 'unconfirmed', ['refused']],
  ['null before the total', scroll([response(200, 'null')], short), 'unconfirmed', ['nothing']],
  ['a page before the end', scroll([page('other'), empty, empty], short), 'confirmed', ['documents']],
  ['an empty list and a refusal without a total', scroll([empty, refused], noTotal), 'refused', []],
  ['an empty list and a refusal, total malformed', scroll([empty, refused], malformed), 'refused', []],
  ['two empty lists without a total', scroll([empty, empty], noTotal), 'confirmed', []],
  ['a refusal without a total', scroll([refused], noTotal), 'unconfirmed', ['refused']],
  ['an empty entity', scroll([empty], first), 'confirmed', []],
  ['an empty range without a token', scroll([empty], inRange), 'unconfirmed', []],
  ['an empty range, twice', scroll([empty, empty], inRange), 'confirmed', []],
  ['an empty range, refused', scroll([empty, refused], inRange), 'unconfirmed', []],
  ['an empty range, a token', scroll([empty], { ...inRange, end: ending([empty], 't') }), 'confirmed', []],
  ['an empty list at the total of a range', scroll([empty], { isOfRange: true }), 'confirmed', []],
  ['no request at all', scroll([], { ...first, ...noTotal }), 'unconfirmed', ['no-token']],
  ['a confirmed end of 1.0.0', scroll([], { ...short, end: oldEnd(true) }), 'confirmed', []],
  ['another end of 1.0.0', scroll([], { end: oldEnd(false) }), 'unconfirmed', []],
  ['a time-out before a page', scroll([empty], { pages: [...pagesOf(2), late] }), 'confirmed', ['timeout']],
  ['null as a first page', scroll([response(200, 'null')], first), 'unconfirmed', []],
  ['a refusal of the first request', scroll([refused], first), 'unconfirmed', []],
  ['failures before an empty entity', scroll([failed, response(500), empty], first), 'confirmed', []],
]

describe('the end of a scroll', () => {
  it.each(rows)('%s', (_, ...[scroll, end, unknown]) => {
    const read = readEnd(scroll)
    expect(read.end).toBe(end)
    expect(read.unknown.map(({ what }) => what)).toEqual(unknown)
  })

  it('says when the outcome of a request became unknown', () => {
    expect(readEnd(scroll([failed, empty])).unknown).toEqual([
      { page: 4, at: '1970-01-01T00:00:02.000Z', what: 'timeout' },
    ])
    expect(readEnd(scroll([], short)).unknown).toEqual([
      { page: 4, at: '1970-01-01T00:00:00.200Z', what: 'no-token' },
    ])
  })
})

describe('the items of an attempt', () => {
  const pageOf = (page: number, ...exchanges: Exchange[]) =>
    ({
      kind: 'page',
      page,
      key: `run/a1-p00000${page}-x`,
      received: { exchanges },
    }) as unknown as CommittedPage
  const endOf = (page: number, ...exchanges: Exchange[]) =>
    ({ kind: 'end', page, received: { exchanges } }) as unknown as CommittedEnd
  const name: AttemptId = { runId: 'run', attempt: 1 }
  const notOwn = (page: number, attempt: number, name: string) =>
    `Page ${page} of attempt ${attempt} names the object run/${name}-p000001-x, which is not its own.`
  const inRange = (page: CommittedPage) => ({ ...page, key: page.key.replace('/', '/r0-') })

  it.each<[string, (CommittedPage | CommittedEnd)[], Partial<AttemptId>]>([
    ['pages', [endOf(3), pageOf(2), pageOf(1)], {}],
    ['pages of a range', [inRange(pageOf(2)), inRange(pageOf(1)), endOf(3)], { range: 0 }],
  ])('are its %s in order', (_, items, change) => {
    const { pages, end } = orderedItems(items, { ...name, ...change }, 'run/')
    expect([...pages, end].map(({ page }) => page)).toEqual([1, 2, 3])
  })

  it.each<[string, (CommittedPage | CommittedEnd)[], Partial<AttemptId>?]>([
    ['The items of attempt 1 are gone: they expire after 30 days.', []],
    ['The items of range 0, attempt 1 are gone: they expire after 30 days.', [], { range: 0 }],
    ['Of attempt 1, item 1 is missing: the next one has the number 2.', [pageOf(2), endOf(3)]],
    ['Of attempt 1, item 2 is missing: the next one has the number 3.', [endOf(3), pageOf(1)]],
    ['No end closes attempt 1, which has 2 items.', [pageOf(1), pageOf(2)]],
    ['Of attempt 1, item 1 ends it before the last one.', [endOf(1), endOf(2)]],
    [notOwn(1, 2, 'a1'), [pageOf(1), endOf(2)], { attempt: 2 }],
    [notOwn(1, 1, 'r0-a1'), [inRange(pageOf(1)), endOf(2)]],
    [notOwn(2, 1, 'a1'), [pageOf(1), { ...pageOf(1), page: 2 }, endOf(3)]],
  ])('are damaged: %s', (message, items, change) => {
    expect(() => orderedItems(items, { ...name, ...change }, 'run/')).toThrow(
      expect.objectContaining({ name: 'Damaged', message }),
    )
  })

  const brought: Exchange = { at: 9_000, status: 200, bodyBytes: 90 }
  it.each<[string, CommittedPage, string[]]>([
    ['nothing but the page', pageOf(2, brought), []],
    ['what was not done', pageOf(2, response(429), brought), []],
    ['a time-out', pageOf(2, failed, response(503), brought), ['timeout', '503']],
    ['an end', pageOf(2, empty, brought), ['empty']],
    ['a failed first request', pageOf(1, failed, refused, brought), []],
    ['an end before the first page', pageOf(1, empty, brought), ['empty']],
    ['a page from a cache', pageOf(1, { ...brought, age: '61' } as Exchange), ['cache']],
    ['a page of another status', pageOf(2, { ...brought, status: 206 } as Exchange), ['empty']],
    ['a failure in place of the page', pageOf(1, failed), ['timeout']],
    ['nothing of an older release', { ...pageOf(2), received: undefined } as unknown as CommittedPage, []],
  ])('have an unknown outcome before a page: %s', (_, page, expected) => {
    const unknown = unknownOutcomes({ pages: [page], end: endOf(3) })
    expect(unknown.map(({ what }) => what)).toEqual(expected)
  })

  it('have the time of an unknown outcome', () => {
    const unknown = unknownOutcomes({ pages: [pageOf(2, failed, brought)], end: endOf(3) })
    expect(unknown).toEqual([{ page: 2, at: '1970-01-01T00:00:02.000Z', what: 'timeout' }])
  })

  const totalOf = (exchange: Exchange, total: string) => ({ ...exchange, total }) as Exchange
  it.each<[string, CommittedPage[], CommittedEnd, string | null]>([
    ['the first page', [pageOf(1, totalOf(response(503), '9'), totalOf(brought, '5'))], endOf(2), '5'],
    ['no first page', [], endOf(1, failed, totalOf(refused, '9'), totalOf(empty, '0'), empty), '0'],
    ['nothing', [], endOf(1, failed), null],
    ['a failure', [pageOf(1, failed)], endOf(2), null],
    ['the page after an end', [pageOf(1, totalOf(empty, '9'), failed, totalOf(brought, '5'))], endOf(2), '5'],
  ])('have the total that came with %s', (_, ...[pages, end, text]) => {
    const total = text === null ? undefined : Number(text)
    expect(openingTotal({ pages, end })).toEqual({ text, total })
  })

  it('have the total of their item, unless that is of searches or malformed', () => {
    const read = (text: string, received = {}) => {
      const page = pageOf(1, totalOf(brought, text))
      const opening = { ...page, total: 7, received: { ...page.received, ...received } }
      return openingTotal({ pages: [opening as CommittedPage], end: endOf(2) }).text
    }
    expect(() => read('5')).toThrow('The response that opened the scroll reported 5; its item has 7.')
    expect([read('7'), read('5 or so'), read('5', { searched: {} })]).toEqual(['7', '5 or so', '5'])
    expect(openingTotal({ pages: [], end: { ...endOf(1, totalOf(empty, '0')), total: 7 } }).text).toBe('0')
  })

  it.each([
    [5, { text: '5', total: 5 }],
    ['not-reported', { text: null, total: undefined }],
    ['malformed', { text: '', total: 'malformed' }],
  ] as const)('of 1.0.0 have the total %s', (total, expected) => {
    const end = { ...endOf(1), received: undefined, total } as unknown as CommittedEnd
    expect(openingTotal({ pages: [], end })).toEqual(expected)
  })
})
