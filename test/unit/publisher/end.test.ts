import { describe, expect, it } from 'vitest'
import { type End, type EndedScroll, readEnd } from '../../../functions/publisher/check/end.ts'
import type { Exchange } from '../../../functions/upstream/recorded-exchange.ts'

const response = (status: number, body = '', headers: Record<string, string> = {}): Exchange => ({
  at: 1_000,
  status,
  bodyBytes: Buffer.byteLength(body),
  details: { headers, body },
})
const empty = response(200, '[]')
const refused = response(400, '{"Message":"Operation not found for this token"}')
const failed: Exchange = { at: 2_000, error: 'timeout' }
const page = (...ids: string[]): Exchange => ({
  at: 3_000,
  status: 200,
  bodyBytes: 90,
  details: { headers: {}, body: '[{"id":1}', ids },
})

const scroll = (exchanges: readonly Exchange[], change: Partial<EndedScroll> = {}): EndedScroll => ({
  exchanges,
  uniqueIds: 25,
  total: 25,
  pages: 3,
  isEmptyRange: false,
  largestPage: 10,
  largestPages: 2,
  repeatsFirstPage: (ids) => ids.includes('first'),
  ...change,
})
const short = { total: 30 }
const noTotal = { total: undefined }
const first = { pages: 0, uniqueIds: 0, total: 0, largestPage: 0, largestPages: 0 }

const rows: [string, EndedScroll, End, string[]][] = [
  ['an empty list at the total', scroll([empty]), 'confirmed', []],
  ['an empty body at the total', scroll([response(200)]), 'confirmed', []],
  ['204 at the total', scroll([response(204)]), 'confirmed', []],
  ['white space at the total', scroll([response(200, ' [ ]\n')]), 'confirmed', []],
  ['null at the total', scroll([response(200, 'null')]), 'confirmed', []],
  ['an empty object at the total', scroll([response(200, '{ }')]), 'confirmed', []],
  ['an empty text at the total', scroll([response(200, '""')]), 'confirmed', []],
  ['400 at the total', scroll([refused]), 'confirmed', []],
  ['404 at the total', scroll([response(404)]), 'confirmed', []],
  ['410 at the total', scroll([response(410)]), 'confirmed', []],
  ['400 at a total of full pages', scroll([refused], { uniqueIds: 20, total: 20 }), 'capped', []],
  [
    '400 at a total of one full page',
    scroll([refused], { uniqueIds: 10, total: 10, pages: 1, largestPages: 1 }),
    'confirmed',
    [],
  ],
  [
    '400 at a total of one page and a smaller one',
    scroll([refused], { uniqueIds: 20, total: 20, largestPages: 1 }),
    'confirmed',
    [],
  ],
  ['null after full pages', scroll([response(200, 'null')], { uniqueIds: 20, total: 20 }), 'confirmed', []],
  ['401 at the total', scroll([response(401)]), 'unconfirmed', []],
  ['403 at the total', scroll([response(403, '{}')]), 'unconfirmed', []],
  ['403 with HTML at the total', scroll([response(403, '<html>')]), 'unconfirmed', ['firewall']],
  [
    '403 with the type of HTML at the total',
    scroll([response(403, 'no', { 'content-type': 'text/html' })]),
    'unconfirmed',
    ['firewall'],
  ],
  ['408 at the total', scroll([response(408)]), 'unconfirmed', ['408']],
  ['425 at the total', scroll([response(425)]), 'unconfirmed', ['425']],
  ['429 at the total', scroll([response(429)]), 'unconfirmed', []],
  [
    'too many scrolls at the total',
    scroll([response(400, '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}')]),
    'unconfirmed',
    [],
  ],
  ['503 and then an empty list at the total', scroll([response(503), empty]), 'confirmed', ['503']],
  ['a text that is not JSON', scroll([response(200, 'null and more')]), 'unconfirmed', ['not-json']],
  ['a time-out and then an empty list', scroll([failed, empty]), 'confirmed', ['timeout']],
  ['a request not sent, then an empty list', scroll([{ at: 1, error: 'not-sent' }, empty]), 'confirmed', []],
  ['no connection, then an empty list', scroll([{ at: 1, error: 'unreachable' }, empty]), 'confirmed', []],
  ['a redirect', scroll([response(301)]), 'unconfirmed', ['301']],
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
  [
    'a failed response with the ids of the first page',
    scroll([empty, { ...page('first'), status: 503 } as Exchange], short),
    'unconfirmed',
    [],
  ],
  [
    'a failed response without details',
    scroll([empty, { at: 1, status: 503, bodyBytes: 0 }], short),
    'unconfirmed',
    [],
  ],
  ['a refusal before the total', scroll([refused], short), 'unconfirmed', ['refused']],
  ['null before the total', scroll([response(200, 'null')], short), 'unconfirmed', ['nothing']],
  ['a page before the end', scroll([page('other'), empty, empty], short), 'confirmed', ['documents']],
  ['an empty list and a refusal without a total', scroll([empty, refused], noTotal), 'refused', []],
  ['two empty lists without a total', scroll([empty, empty], noTotal), 'confirmed', []],
  ['a refusal without a total', scroll([refused], noTotal), 'unconfirmed', ['refused']],
  ['an empty entity', scroll([empty], first), 'confirmed', []],
  ['an empty range without a token', scroll([empty], { ...first, isEmptyRange: true }), 'unconfirmed', []],
  ['an empty range, twice', scroll([empty, empty], { ...first, isEmptyRange: true }), 'confirmed', []],
  ['an empty range, refused', scroll([empty, refused], { ...first, isEmptyRange: true }), 'unconfirmed', []],
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
    expect(readEnd(scroll([failed, empty])).unknown).toEqual([{ at: 2_000, what: 'timeout' }])
  })
})
