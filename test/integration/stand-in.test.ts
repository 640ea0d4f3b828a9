import http from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { makeDocument, makeDocuments } from '../../local/stand-in/documents.ts'
import {
  dropDocument,
  duplicateDocument,
  noDocuments,
  onDock,
  onPatch,
  onScroll,
  onSearch,
} from '../../local/stand-in/faults.ts'
import {
  localCredentials,
  type Platform,
  type PlatformOptions,
  startPlatform,
} from '../../local/stand-in/platform.ts'
import { renderings, renderPage } from '../../local/stand-in/rendering.ts'

let platform: Platform
afterEach(() => platform.close())

const keys = { 'x-svc-api-appkey': localCredentials.appKey, 'x-svc-api-apptoken': localCredentials.appToken }

interface Got {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
  /** The response was shorter than its Content-Length. */
  isCut: boolean
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

function call(path: string, { method = 'GET', headers = {}, body, signal }: Call = {}): Promise<Got> {
  return new Promise((done, fail) => {
    const options = {
      method,
      headers: { ...keys, ...headers },
      agent: false as const,
      ...(signal && { signal }),
    }
    const request = http.request(platform.url + path, options, (response) => {
      const chunks: Buffer[] = []
      const finish = (isCut: boolean) =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          isCut,
        })
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => finish(false))
      response.on('error', (error) => (signal?.aborted ? fail(error) : finish(true)))
    })
    request.on('error', fail)
    request.end(body)
  })
}

const documents = makeDocuments(25, { bytes: 320 })
const start = async (options: PlatformOptions = {}) => {
  platform = await startPlatform({ documents: { CL: documents }, ...options })
}
const first = (size = 10, more = '') => call(`/api/dataentities/CL/scroll?_size=${size}${more}`)
const next = (token: unknown) =>
  call(`/api/dataentities/CL/scroll?_token=${encodeURIComponent(String(token))}`)
const tokenOf = (got: Got) => got.headers['x-svc-md-token'] as string
const numbers = (got: Got) =>
  (JSON.parse(String(got.body)) as { number: number }[]).map(({ number }) => number)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** Scrolls to the end with the newest token and returns each page. */
async function scrollAll(size = 10): Promise<Got[]> {
  const pages = [await first(size)]
  let token = tokenOf(pages[0] as Got)
  for (;;) {
    const got = await next(token)
    token = tokenOf(got) ?? token
    if (got.status === 204 || ['', '[]'].includes(String(got.body).trim())) return pages
    pages.push(got)
  }
}

describe('a scroll', () => {
  it('returns every document once, byte for byte, and the total', async () => {
    await start()
    const pages = await scrollAll()
    expect(pages.map((page) => page.headers['rest-content-total'])).toEqual(['25', '25', '25'])
    expect(pages.map(({ body }) => String(body))).toEqual(
      [0, 10, 20].map((from) => `[${documents.slice(from, from + 10).join(',')}]`),
    )
  })

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
  ] as const)('ends with %s, again and again', async (end, status, body) => {
    await start({ scroll: { end } })
    const token = tokenOf(await first(25))
    for (const got of [await next(token), await next(token)]) {
      expect({ status: got.status, body: String(got.body) }).toEqual({ status, body })
    }
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

  it('can return its token with the first page only', async () => {
    await start({ scroll: { tokenHeader: 'first' } })
    const token = tokenOf(await first())
    expect(tokenOf(await next(token))).toBeUndefined()
    expect(numbers(await next(token))).toEqual(range(20, 25))
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
    platform.expireTokens()
    expect((await next(other)).status).toBe(400)
  })

  it('refuses the token of a scroll of another entity', async () => {
    await start({ documents: { CL: documents, AD: documents } })
    const token = encodeURIComponent(tokenOf(await first()))
    expect((await call(`/api/dataentities/AD/scroll?_token=${token}`)).status).toBe(400)
    expect(numbers(await next(decodeURIComponent(token)))).toEqual(range(10, 20))
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

  it('answers 404 for an unknown entity and 408 for a page that is too large', async () => {
    await start({ scroll: { timeoutOverSize: 20 } })
    expect((await call('/api/dataentities/XX/scroll?_size=10')).status).toBe(404)
    expect([(await first(25)).status, (await first(20)).status]).toEqual([408, 200])
  })

  it('filters and projects', async () => {
    await start()
    expect(numbers(await first(10, '&number=7'))).toEqual([7])
    expect(numbers(await first(10, '&_where=number%3D3%20AND%20address%20is%20null'))).toEqual([3])
    expect(String((await first(1, '&_fields=number,missing')).body)).toBe('[{"number":0,"missing":null}]')
  })

  it('generates documents on demand, and can be endless', async () => {
    const document = (index: number) => makeDocument(index)
    await start({ documents: { CL: { count: 500_000, document } }, scroll: { endless: true } })
    const got = await first(3)
    expect(got.headers['rest-content-total']).toBe('500000')
    expect(numbers(got)).toEqual([0, 1, 2])
    platform.documents.set('CL', documents)
    const pages = [await first(20)]
    for (const _ of range(0, 3)) pages.push(await next(tokenOf(pages[0] as Got)))
    expect(pages.map((page) => numbers(page)[0])).toEqual([0, 20, 0, 20])
  })

  it('shows documents that are created during a live scroll', async () => {
    await start({ documents: { CL: [...documents] }, scroll: { live: true } })
    const token = tokenOf(await first(20))
    ;(platform.documents.get('CL') as Buffer[]).push(makeDocument(25))
    expect(numbers(await next(token))).toEqual(range(20, 26))
  })

  it('ignores the filter in all pages of a live scroll, or in none', async () => {
    await start({ scroll: { live: true } })
    platform.faults.add({ match: onScroll({ page: 1 }), fault: { kind: 'ignore-filter' } })
    const ignoring = await first(20, '&_where=number<2')
    expect(numbers(ignoring)).toEqual(range(0, 20))
    expect(numbers(await next(tokenOf(ignoring)))).toEqual(range(20, 25))
    expect(numbers(await first(20, '&_where=number<2'))).toEqual([0, 1])
  })
})

describe('a fault', () => {
  const status = { kind: 'status', status: 503, headers: { 'Retry-After': '2' }, body: 'busy' } as const
  const pageBytes = 3211
  it.each([
    { fault: { ...status, effect: 'before' }, cursor: 10, got: { status: 503, bytes: 4, retryAfter: '2' } },
    { fault: { ...status, effect: 'after' }, cursor: 20, got: { status: 503, bytes: 4, retryAfter: '2' } },
    { fault: { kind: 'reset', effect: 'before' }, cursor: 10, got: 'ECONNRESET' },
    { fault: { kind: 'reset', effect: 'after' }, cursor: 20, got: 'ECONNRESET' },
    { fault: { kind: 'cut' }, cursor: 20, got: { status: 200, bytes: 1605, isCut: true } },
    { fault: { kind: 'cut', framing: 'chunked' }, cursor: 20, got: { bytes: 1605, isCut: true } },
    { fault: { kind: 'cut', framing: 'close' }, cursor: 20, got: { bytes: 1605, isCut: false } },
    { fault: { kind: 'html' }, cursor: 10, got: { status: 200, type: 'text/html; charset=utf-8' } },
    { fault: { kind: 'redirect' }, cursor: 10, got: { status: 302, location: '/login' } },
    { fault: { kind: 'huge', bytes: 100_000 }, cursor: 10, got: { status: 200, bytes: 100_000 } },
    { fault: { kind: 'gzip' }, cursor: 20, got: { status: 200, encoding: 'gzip', bytes: pageBytes } },
    {
      fault: { kind: 'slow', beforeHeadersMs: 30, betweenChunksMs: 10, chunkBytes: 500 },
      cursor: 20,
      got: { status: 200, bytes: pageBytes, isCut: false },
    },
    {
      fault: { kind: 'body', change: () => Buffer.from('{"a":') },
      cursor: 20,
      got: { status: 200, bytes: 5 },
    },
  ] as const)(
    '$fault strikes page 2 once and leaves the cursor at document $cursor',
    async ({ fault, cursor, got }) => {
      await start()
      const rule = platform.faults.add({ match: onScroll({ entity: 'CL', page: 2 }), fault })
      const token = tokenOf(await first())
      const struck = await next(token).then(essence, (error: NodeJS.ErrnoException) => ({ code: error.code }))
      expect(struck).toMatchObject(typeof got === 'string' ? { code: got } : got)
      expect(rule.struck).toBe(1)
      expect(numbers(await next(token))[0]).toBe(cursor)
      expect(platform.requests.map((request) => request.fault)).toEqual([undefined, fault.kind, undefined])
    },
  )

  function essence({ status, isCut, headers, body }: Got) {
    const encoding = headers['content-encoding']
    return {
      status,
      isCut,
      bytes: (encoding === 'gzip' ? gunzipSync(body) : body).length,
      encoding,
      type: headers['content-type'],
      retryAfter: headers['retry-after'],
      location: headers.location,
    }
  }

  it.each([
    { what: 'the page before again', fault: { kind: 'repeat-page' }, firsts: [0, 10, 10, 20], lastPage: 5 },
    {
      what: 'the page before in place of one',
      fault: { kind: 'repeat-page', lose: true },
      firsts: [0, 10, 10],
      lastPage: 10,
    },
    { what: 'a page lost', fault: { kind: 'skip-page' }, firsts: [0, 10], lastPage: 10 },
    {
      what: 'an early end that moves the cursor',
      fault: { kind: 'end', cursor: 'moves' },
      firsts: [0, 10],
      lastPage: 10,
    },
    {
      what: 'a document twice',
      fault: { kind: 'page', change: duplicateDocument() },
      firsts: [0, 10, 20],
      lastPage: 6,
    },
    {
      what: 'a document lost',
      fault: { kind: 'page', change: dropDocument() },
      firsts: [0, 10, 21],
      lastPage: 4,
    },
  ] as const)('changes page 3: $what', async ({ fault, firsts, lastPage }) => {
    await start()
    platform.faults.add({ match: onScroll({ page: 3 }), fault })
    const pages = await scrollAll()
    expect(pages.map((page) => numbers(page)[0])).toEqual(firsts)
    expect(numbers(pages.at(-1) as Got)).toHaveLength(lastPage)
  })

  it('returns the page that was due after an early end that leaves the cursor', async () => {
    await start()
    platform.faults.add({ match: onScroll({ page: 2 }), fault: { kind: 'end', cursor: 'stays' } })
    const token = tokenOf(await first())
    expect(String((await next(token)).body)).toBe('')
    expect(numbers(await next(token))).toEqual(range(10, 20))
  })

  it('strikes after and for as many requests as configured', async () => {
    await start({ docks: { a: Buffer.from('{"id":"a"}') } })
    platform.faults.add({ match: onDock('a'), after: 1, times: 2, fault: { kind: 'status', status: 500 } })
    const responses = []
    for (const _ of range(0, 4)) responses.push(await call('/api/logistics/pvt/configuration/docks/a'))
    expect(responses.map((result) => result.status)).toEqual([200, 500, 500, 200])
  })

  it('hangs without a response or in the middle of it until the caller gives up', async () => {
    await start()
    platform.faults.add({ match: onSearch(), fault: { kind: 'hang' } })
    platform.faults.add({ match: onSearch(), fault: { kind: 'hang', part: 0.5 } })
    const hung = () => call('/api/dataentities/CL/search', { signal: AbortSignal.timeout(100) })
    await expect(hung()).rejects.toThrow('abort')
    await expect(hung()).rejects.toThrow('abort')
    expect(platform.requests.map((request) => request.status)).toEqual([undefined, 200])
  })

  it('changes the total, and expires a token early', async () => {
    await start()
    platform.faults.add({
      match: onScroll({ scroll: 1, request: 1 }),
      fault: { kind: 'total', total: 'missing' },
    })
    platform.faults.add({ match: onScroll({ scroll: 2, page: 2 }), fault: { kind: 'expire-token' } })
    expect((await first()).headers['rest-content-total']).toBeUndefined()
    const token = tokenOf(await first())
    expect([(await next(token)).status, (await next(token)).status]).toEqual([400, 400])
  })
})

describe('a search', () => {
  const search = (resources?: string, query = '') =>
    call(`/api/dataentities/CL/search${query}`, resources ? { headers: { 'REST-Range': resources } } : {})

  it.each([
    ['resources=0-10', range(0, 10), 'resources=0-10/25'],
    ['resources=20-100', range(20, 25), 'resources=20-25/25'],
    [undefined, range(0, 10), 'resources=0-10/25'],
  ])('for %s', async (resources, expected, contentRange) => {
    await start()
    const got = await search(resources)
    expect(numbers(got)).toEqual(expected)
    expect(got.headers['rest-content-range']).toBe(contentRange)
  })

  it('reports its range with a space on request, as platforms in the field do', async () => {
    await start({ rangeSeparator: ' ' })
    expect((await search('resources=0-1')).headers['rest-content-range']).toBe('resources 0-1/25')
  })

  it.each(['resources=0-101', 'resources=5-5', 'items=0-1', 'resources=10000-10001'])(
    'refuses %s',
    async (resources) => {
      await start()
      expect((await search(resources)).status).toBe(400)
    },
  )

  it.each([
    ['number>21 AND number<>23', [22, 24]],
    ['number between 3 AND 5', [3, 4, 5]],
    ['(number=1 OR number=2) AND (number>1)', [2]],
    ['email=client7@example.com OR number<1', [0, 7]],
    ['createdIn between 2020-01-01T00:20:00Z AND 2020-01-01T00:22:00Z', [20, 21]],
    ['updatedIn is not null', []],
    ['updatedIn is null AND number>23', [24]],
    ['name="Mary O’Neil" AND number<3', [1]],
  ])('selects by _where=%s', async (where, expected) => {
    await start()
    expect(numbers(await search('resources=0-100', `?_where=${encodeURIComponent(where)}`))).toEqual(expected)
  })

  it('refuses a _where that it cannot parse', async () => {
    await start()
    const got = await search(undefined, '?_where=number%3E')
    expect([got.status, String(got.body)]).toEqual([
      400,
      '{"Message":"Invalid _where: Unexpected text: end"}',
    ])
  })

  it('can ignore a filter, refuse it, or lag behind', async () => {
    await start()
    const filtered = () => search('resources=0-1', '?number=5')
    platform.faults.add({ match: onSearch(), fault: { kind: 'ignore-filter' } })
    expect((await filtered()).headers['rest-content-range']).toBe('resources=0-1/25')
    platform.faults.add({ match: onSearch(), fault: { kind: 'refuse-filter' } })
    const refused = await filtered()
    expect([refused.status, String(refused.body)]).toEqual([
      400,
      '{"Message":"Field \'number\' is not searchable"}',
    ])
    platform.faults.add({ match: onSearch(), fault: { kind: 'lag', documents: 3 } })
    expect((await search('resources=0-1')).headers['rest-content-range']).toBe('resources=0-1/22')
    expect((await filtered()).headers['rest-content-range']).toBe('resources=0-1/1')
  })

  it('sorts, filters, and can find nothing although documents match', async () => {
    await start()
    expect(numbers(await search('resources=0-2', '?_sort=number%20DESC'))).toEqual([24, 23])
    expect(numbers(await search(undefined, '?email=client5@example.com'))).toEqual([5])
    platform.faults.add({ match: onSearch('CL'), fault: { kind: 'page', change: noDocuments } })
    expect(String((await search()).body)).toBe('[]')
  })
})

describe('docks and subscriptions', () => {
  const patch = (path: string, body: unknown) =>
    call(`/api/rns/${path}`, { method: 'PATCH', body: JSON.stringify(body) })

  it('returns a dock byte for byte', async () => {
    const dock = Buffer.from('{ "id" : "a/1", "priority": 1.0 }')
    await start({ docks: { 'a/1': dock } })
    const got = await call('/api/logistics/pvt/configuration/docks/a%2F1')
    expect(got.body).toEqual(dock)
    expect(platform.requests[0]).toMatchObject({ kind: 'dock', name: 'a/1', method: 'GET', status: 200 })
    expect(platform.requests[0]?.url).toBe('/api/logistics/pvt/configuration/docks/a%2F1')
  })

  it('adds to a group again when an adding patch is repeated, unless it names an item', async () => {
    await start({
      groups: { g: { status: 'ACTIVE', item: [{ SubscriptionId: 's1', sku: { id: '1' }, quantity: 1 }] } },
    })
    const add = {
      item: [
        { sku: { id: '1' }, quantity: 2 },
        { sku: { id: '2' }, quantity: 1 },
      ],
    }
    await patch('subscriptions-group/g?an=shop', add)
    await patch('subscriptions-group/g', add)
    expect(platform.groups.get('g')?.item.map((item) => item.quantity)).toEqual([5, 2])
    await patch('subscriptions-group/g', { isSkipped: true, item: [{ SubscriptionId: 's1', quantity: 9 }] })
    expect(platform.groups.get('g')).toMatchObject({
      isSkipped: true,
      item: [{ quantity: 9 }, { quantity: 2 }],
    })
  })

  it('updates a subscription before or after the fault strikes', async () => {
    await start({ subscriptions: { s: { status: 'ACTIVE', item: { quantity: 1, endpoint: 'e' } } } })
    platform.faults.add({ match: onPatch('s'), fault: { kind: 'reset' } })
    platform.faults.add({ match: onPatch('s'), fault: { kind: 'reset', effect: 'after' } })
    const send = () => patch('subscriptions/s', { item: { quantity: 2 } }).catch(() => 'lost')
    expect([await send(), platform.subscriptions.get('s')]).toMatchObject(['lost', { item: { quantity: 1 } }])
    expect([await send(), platform.subscriptions.get('s')]).toMatchObject([
      'lost',
      { item: { quantity: 2, endpoint: 'e' } },
    ])
    expect(String(platform.requests[0]?.body)).toBe('{"item":{"quantity":2}}')
  })

  it('refuses a malformed body in the error format of the area', async () => {
    await start({ groups: { g: { item: [] } }, subscriptions: { s: {} } })
    const responses = [
      await patch('subscriptions-group/g', { item: {} }),
      await patch('subscriptions/s', { item: [] }),
      await patch('subscriptions/unknown', {}),
      await call('/api/logistics/pvt/configuration/docks/unknown'),
      await call('/elsewhere'),
    ]
    expect(responses.map(({ status, body }) => [status, String(body)])).toEqual([
      [400, '{"code":400,"message":"item must be an array"}'],
      [400, '{"code":400,"message":"item must be an object"}'],
      [404, '{"code":404,"message":"Subscription unknown not found"}'],
      [404, '{"error":{"code":"404","message":"Dock unknown not found","exception":null}}'],
      [404, 'Not Found'],
    ])
  })
})

describe('credentials', () => {
  const status = async (path: string, headers: Record<string, string>) =>
    (await call(path, { headers })).status
  const dock = '/api/logistics/pvt/configuration/docks/a'

  it('are accepted for their areas while listed, with the vendor’s header prefix', async () => {
    await start({ headerPrefix: 'X-VTEX', docks: { a: Buffer.from('{}') } })
    const pair = (value: string) => ({ 'X-VTEX-API-AppKey': value, 'X-VTEX-API-AppToken': value })
    platform.credentials.push({ appKey: 'new', appToken: 'new', areas: ['logistics'] })
    expect(await status(dock, pair('new'))).toBe(200)
    expect(await status('/api/dataentities/CL/scroll', pair('new'))).toBe(403)
    expect(await status(dock, pair('old'))).toBe(401)
    platform.rejectStatus = 403
    platform.credentials.length = 0
    expect(await status(dock, pair('new'))).toBe(403)
  })
})

describe('documents', () => {
  it('are the same for the same seed, with the requested size and unique ids', () => {
    const made = makeDocuments(500)
    expect(made).toEqual(makeDocuments(500))
    expect(made[7]).not.toEqual(makeDocument(7, { seed: 2 }))
    expect(new Set(made.map((bytes) => bytes.length))).toEqual(new Set([1024]))
    expect(new Set(made.map((bytes) => (JSON.parse(String(bytes)) as { id: string }).id)).size).toBe(500)
  })

  it('can have ids that differ by letter case only', () => {
    const ids = makeDocuments(4, { caseTwins: true }).map(
      (bytes) => (JSON.parse(String(bytes)) as { id: string }).id,
    )
    expect(new Set(ids).size).toBe(4)
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(2)
  })
})
