import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { allowedQuery } from '../../../../functions/proxy/request/query-rules.ts'
import { relay } from '../../../../functions/proxy/response/relay.ts'
import { endpoint, refusal } from '../request/refusal.ts'

interface Given {
  readonly name?: string
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  readonly query?: string
}

function relayed({ name = 'read-dock', status = 200, headers = {}, body = '{}', query = '' }: Given) {
  const entry = endpoint(name)
  return relay({ status, headers, body: Buffer.from(body) }, entry, {
    headerPrefix: 'X-SVC',
    query: allowedQuery(query, entry, undefined),
  })
}

test('a response that the platform did not send is marked, together with a warning about the query', () => {
  const page = { status: 403, headers: { 'content-type': 'text/html' }, body: '<title>Blocked</title>' }
  const warning = (given: Given) => relayed(given).headers['longshore-warning']
  expect(warning(page)).toBe('A firewall responded instead of the platform.')
  expect(warning({ name: 'search-documents', headers: { age: '3600' } })).toMatch(
    /^A cache responded .* platform\. Without _sort/,
  )
  expect(warning({ status: 403, body: '{"error":"forbidden"}' })).toBeUndefined()
})

test('the token header is relayed by the configured prefix only', () => {
  const headers = { 'x-svc-md-token': 'own', 'x-other-md-token': 'foreign' }
  const names = Object.keys(relayed({ name: 'scroll-documents', headers, query: '_token=a' }).headers)
  expect(names.filter((name) => name.endsWith('-md-token'))).toEqual(['x-svc-md-token'])
})

describe('status and body', () => {
  test.each<[string, number, Record<string, string>, string]>([
    ['a status that HTTP does not have', 199, {}, 'Its status is not an HTTP status (RFC 9110 section 15).'],
    ['a status above 599', 600, {}, 'Its status is not an HTTP status (RFC 9110 section 15).'],
    [
      'a transfer coding',
      200,
      { 'transfer-encoding': 'gzip, chunked' },
      'It has a transfer coding that was not requested.',
    ],
    [
      'another transfer coding',
      200,
      { 'transfer-encoding': 'chunked, gzip' },
      'It has a transfer coding that was not requested.',
    ],
    [
      'a redirect',
      302,
      {},
      'Redirects are neither followed nor relayed. The operator of Longshore should check upstream.baseUrl in the configuration.',
    ],
  ])('is not relayed with %s, and reports why', (_, status, ...[headers, reason]) => {
    expect(refusal(() => relayed({ status, headers }))).toMatchObject({
      status: 502,
      detail: expect.stringContaining(reason) as string,
    })
  })

  test.each([
    ['search-documents', 'upstream.baseUrl and upstream.searchPath'],
    ['get-api-oms-pvt-orders', 'upstream.baseUrl and endpoints'],
  ])('names for a redirect of %s its settings: %s', (name, settings) => {
    expect(refusal(() => relayed({ name, status: 302 })).detail).toContain(`check ${settings} in the`)
  })

  test('599 with chunked transfer is relayed', () =>
    expect(relayed({ status: 599, headers: { 'transfer-encoding': 'Chunked' } }).statusCode).toBe(599))

  test.each([
    'utf-8',
    'UTF-8',
    'binary',
    'none',
    'identity',
    '',
    'utf-8, gzip',
    'x-gzip',
    'compress',
    'gzip,br',
    'deflate',
    'zstd',
  ])('has no Content-Encoding instead of %j, which is no coding or was not applied', (given) => {
    const result = relayed({ body: Buffer.from('as it came'), headers: { 'content-encoding': given } })
    expect(result.headers).not.toHaveProperty('content-encoding')
    expect(String(result.body)).toBe('as it came')
  })

  test.each([
    ['utf-8, gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, br', 'gzip'],
    ['compress', 'compress'],
  ])('a compressed body stays compressed, with the Content-Encoding %j as %j', (given, coding) => {
    const body = gzipSync('{"a":1}')
    const result = relayed({ body, headers: { 'content-encoding': given } })
    expect(result.body).toEqual(body)
    expect(result.headers).toEqual({ 'content-encoding': coding })
  })

  test.each([204, 304])('%i has no body', (status) => {
    expect(relayed({ status, body: '' })).toEqual({ statusCode: status, headers: {} })
  })

  test.each([300, 301, 302, 303, 305, 307, 308])('%i is not relayed', (status) => {
    const problem = refusal(() => relayed({ status, headers: { location: 'https://elsewhere.example/x' } }))
    expect(problem).toMatchObject({
      type: 'urn:longshore:problem:upstream-redirect',
      status: 502,
      upstreamStatus: status,
    })
    expect(JSON.stringify(problem)).not.toContain('elsewhere')
  })
})

describe('response headers', () => {
  const everything = {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '3',
    'rest-content-range': 'resources=0-1/5',
    'rest-content-total': '5',
    'x-svc-md-token': 'next',
    'x-vtex-md-token': 'other',
    'set-cookie': 'a=b',
    'content-length': '2',
    'transfer-encoding': 'chunked',
    'keep-alive': 'timeout=5',
    connection: 'keep-alive',
    server: 's',
    date: 'd',
    etag: 'e',
    'cache-control': 'max-age=60',
    location: '/',
    'www-authenticate': 'Basic',
    'access-control-allow-origin': '*',
    'longshore-warning': 'from above',
    'x-svc-api-appkey': 'k',
  }
  const always = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '3' }

  test.each([
    ['read-dock', '', always],
    ['update-subscription-group', '', always],
    ['update-subscription', '', always],
    ['search-documents', '_sort=id', { ...always, 'rest-content-range': 'resources=0-1/5' }],
    ['scroll-documents', '', { ...always, 'rest-content-total': '5', 'x-svc-md-token': 'next' }],
  ])('%s: the listed headers are relayed and no others', (name, query, expected) => {
    expect(relayed({ name, query, headers: everything }).headers).toEqual(expected)
  })

  test('a header that the platform declares as hop-by-hop is not relayed', () => {
    const headers = { 'content-type': 'a/b', 'retry-after': '3', connection: 'close, Retry-After' }
    expect(relayed({ headers }).headers).toEqual({ 'content-type': 'a/b' })
  })

  test.each(['é', '\u0080', '\u0000', '\u007f', 'a\r\nb'])(
    'a listed header that contains %j is not passed on',
    (value) => {
      const headers = { 'x-svc-md-token': value }
      expect(refusal(() => relayed({ name: 'scroll-documents', headers }))).toMatchObject({
        type: 'urn:longshore:problem:upstream-response-unusable',
        upstreamStatus: 200,
        detail: expect.stringContaining('x-svc-md-token'),
      })
      expect(relayed({ headers }).headers).toEqual({})
      const own = { 'x-page': value, 'x-total-count': '7' }
      expect(relayed({ name: 'get-api-oms-pvt-orders', headers: own }).headers).toEqual({
        'x-total-count': '7',
        'cache-control': 'private, no-cache',
      })
    },
  )

  test('a missing Content-Type is not invented', () => expect(relayed({}).headers).toEqual({}))

  test.each([
    ['search-documents', '', true],
    ['search-documents', 'name=x', true],
    ['search-documents', '_sort=', true],
    ['search-documents', '_sort=name%20ASC', false],
    ['search-documents', '%5Fsort=name', false],
    ['scroll-documents', '', false],
    ['read-dock', '', false],
  ])('%s with query "%s" warns that pages may repeat: %s', (name, query, warns) => {
    const warning = relayed({ name, query }).headers?.['longshore-warning']
    expect(String(warning).includes('_sort')).toBe(warns)
    expect(warning !== undefined).toBe(warns)
  })
})
