import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { parameterNames } from '../../functions/http/path-template.ts'
import { maxResultBytes } from '../../functions/http/result.ts'
import { type ConfigurationInput, resolveConfig } from '../../lib/config.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './proxy-setup.ts'

/** The example of docs/configuration.md. */
function documented(): ConfigurationInput['endpoints'] {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  const [, example = ''] = /^```ts\nendpoints: (\[.*?^\])\n```/ms.exec(page) ?? []
  return JSON.parse(JSON.stringify(runInNewContext(`(${example})`)))
}

const further: ConfigurationInput['endpoints'] = [
  {
    path: '/api/oms/pvt/orders',
    area: 'orders',
    query: ['page', 'f_status[]'],
    responseHeaders: ['X-Page', 'X-Total'],
  },
  { path: '/api/oms/pvt/orders/{orderId}', area: 'orders' },
  { path: '/api/oms/pvt/orders/summary', area: 'orders' },
  { path: '/api/oms/pvt/orders/{orderId}/payments/{paymentId}', area: 'orders' },
  { path: '/api/catalog/pvt/search', area: 'catalog', query: 'any' },
  { path: '/api/catalog/pvt/sku/{sku_id}', area: 'catalog', responseHeaders: ['X-Sku'] },
  { path: '/api/dataentities/{acronym}/documents/{id}', area: 'documents', query: ['_fields'] },
  { path: '/api/{a}/{b}/{c}/{d}/{e}/{f}', area: 'deep' },
  { path: '/api/a.b/_c~d-e', area: 'odd' },
]
const { endpoints } = resolveConfig({
  upstream: { baseUrl: 'https://shop.example.com' },
  endpoints: [...(documented() ?? []), ...further],
})

const upstream = scriptedUpstream()
const call = proxyBehindGateway({ url: () => `http://${upstream.host()}`, endpoints, account: 'shop' })

it('the documentation has three examples, and 12 endpoints are configured here', () => {
  expect(documented()).toHaveLength(3)
  expect(endpoints).toHaveLength(12)
})

describe('a configured endpoint', () => {
  it.each([
    ['/api/rns/subscriptions/s%201', '/api/rns/subscriptions/s%201'],
    [
      '/api/rns/subscriptions?page=2&status[]=a&status%5B%5D=b&an=shop',
      '/api/rns/subscriptions?page=2&status%5B%5D=a&status%5B%5D=b',
    ],
    [
      '/api/logistics/pvt/configuration/docks/d/schedules/7',
      '/api/logistics/pvt/configuration/docks/d/schedules/7',
    ],
    ['/api/oms/pvt/orders/summary', '/api/oms/pvt/orders/summary'],
    ['/api/oms/pvt/orders/1-01', '/api/oms/pvt/orders/1-01'],
    ['/api/oms/pvt/orders/%7BpaymentId%7D/payments/p', '/api/oms/pvt/orders/%7BpaymentId%7D/payments/p'],
    ['/api/dataentities/CL/documents/7?_fields=id', '/api/dataentities/CL/documents/7?_fields=id'],
    ['/api/a.b/_c~d-e', '/api/a.b/_c~d-e'],
    [
      '/api/catalog/pvt/search?a[b][]=1&_size=5000&_token=&x=1&x=2',
      '/api/catalog/pvt/search?a%5Bb%5D%5B%5D=1&_size=5000&_token=&x=1&x=2',
    ],
  ])('sends %s as %s', async (path, url) => {
    expect((await call(path)).status).toBe(200)
    expect(upstream.received).toMatchObject([{ method: 'GET', url, headers: { 'x-svc-api-appkey': 'key' } }])
  })

  it.each([
    ['/api/oms/pvt/orders/1?page=1', 'page'],
    ['/api/oms/pvt/orders?status[]=1', 'status[]'],
    ['/api/oms/pvt/orders?PAGE=1', 'PAGE'],
    ['/api/oms/pvt/orders?an=other', 'an'],
    ['/api/catalog/pvt/search?A%20N=other', 'an'],
    ['/api/catalog/pvt/search?X-Amz-Date=1', 'X-Amz-Date'],
    ['/api/catalog/pvt/search?x-svc-api-appToken=1', 'x-svc-api-appToken'],
    ['/api/catalog/pvt/search?access_token=1', 'access_token'],
    ['/api/catalog/pvt/search?=1', ''],
    ['/api/catalog/pvt/search?a%09=1', 'a\t'],
    ['/api/oms/pvt/orders/a%5Cb', 'orderId'],
    ['/api/oms/pvt/orders/a/payments/%2e%2e', 'paymentId'],
    ['/api/oms/pvt/orders/%2523/payments/b', 'orderId'],
  ])('refuses %s with the name of the parameter: %s', async (path, parameter) => {
    const response = await call(path)
    expect([response.status, response.json()]).toMatchObject([
      400,
      { parameter, type: 'urn:longshore:problem:invalid-request' },
    ])
    expect(upstream.received).toEqual([])
  })

  it('returns the listed headers and a Cache-Control of its own, and nothing else', async () => {
    upstream.respond = (response) => {
      const cookies = {
        'set-cookie': 'a=b',
        'cache-control': 'public, max-age=60',
        link: '<x>',
        location: '/x',
        server: 's',
      }
      const listed = {
        etag: 'W/"1"',
        'last-modified': 'Sat, 28 Nov 2026 10:00:00 GMT',
        'retry-after': '1',
        'x-total': '7',
      }
      response
        .writeHead(200, { ...cookies, ...listed, 'x-other': '1', 'content-type': 'application/json' })
        .end('[]')
    }
    const {
      date: _,
      connection: _connection,
      'apigw-requestid': _id,
      ...headers
    } = (await call('/api/oms/pvt/orders')).headers
    expect(headers).toEqual({
      'cache-control': 'private, no-cache',
      'content-length': '2',
      'content-type': 'application/json',
      etag: 'W/"1"',
      'last-modified': 'Sat, 28 Nov 2026 10:00:00 GMT',
      'retry-after': '1',
      'x-total': '7',
    })
  })

  it('asks with If-None-Match, and returns 304 without a body', async () => {
    upstream.respond = (response, { headers }) =>
      headers['if-none-match'] === '"1", "2"'
        ? response.writeHead(304, { etag: '"2"' }).end()
        : response.end('{}')
    const headers = { 'if-none-match': '"1", "2"', 'if-modified-since': 'Sat, 28 Nov 2026 10:00:00 GMT' }
    const response = await call('/api/rns/subscriptions/1', { headers })
    expect([response.status, response.body.length, response.headers['etag']]).toEqual([304, 0, '"2"'])
    expect(response.headers['cache-control']).toBe('private, no-cache')
    expect(upstream.received[0]?.headers).not.toHaveProperty('if-modified-since')
  })

  it('is repeated after 503, and names what helps if its response is too large', async () => {
    upstream.respond = (response) => response.writeHead(upstream.received.length < 2 ? 503 : 200).end('{}')
    expect((await call('/api/oms/pvt/orders/1')).status).toBe(200)
    expect(upstream.received).toHaveLength(2)
    upstream.respond = (response) => response.end(Buffer.alloc(maxResultBytes + 1, ' '))
    const large = await call('/api/oms/pvt/orders/1')
    expect([large.status, large.json().detail]).toEqual([
      502,
      expect.stringContaining('or read it on the platform.'),
    ])
  })

  it('relays almost 6 MB, and a compressed body unchanged', async () => {
    const body = Buffer.alloc(maxResultBytes - 2_000, 'x')
    upstream.respond = (response) => response.end(body)
    expect((await call('/api/catalog/pvt/sku/1')).body.equals(body)).toBe(true)
    const packed = gzipSync('[1]')
    upstream.respond = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
    const response = await call('/api/catalog/pvt/sku/1', { headers: { 'accept-encoding': 'gzip' } })
    expect([response.body.equals(packed), response.headers['content-encoding']]).toEqual([true, 'gzip'])
  })

  it('never writes: another method has no route', async () => {
    expect((await call('/api/oms/pvt/orders/1', { method: 'PATCH', body: '{}' })).status).toBe(404)
    expect(upstream.received).toEqual([])
  })
})

describe.each(endpoints)('hostile requests to $path', ({ path }) => {
  beforeEach(() => {
    upstream.respond = (response, { headers }) =>
      response
        .writeHead(400, { 'content-type': 'text/plain', 'set-cookie': 'a=b' })
        .end(JSON.stringify(headers))
  })
  const at = (value: string) => path.replaceAll(/\{[^}]+\}/g, value)
  const values = [
    '..',
    '%2e',
    '%00',
    '%5c',
    '%252F',
    '%3F',
    '%23',
    '%ff',
    '%EF%BF%BD',
    '%E2%80%AE',
    'a%0d%0aHost:b',
    '__proto__',
  ]
  const queries = [
    '?%',
    '?=',
    '?a[]=%zz',
    '?an=x',
    '?__proto__=1',
    '?constructor',
    '?x-amz-security-token=t',
    '?%00=1',
    `?${'a'.repeat(5000)}=1`,
  ]
  const headers = {
    cookie: 'a=b',
    authorization: 'Bearer b',
    'x-svc-api-apptoken': 'mine',
    'if-none-match': '"a"',
    'x-forwarded-host': 'h',
    te: 'trailers',
  }

  it.each([
    ...(parameterNames(path).length > 0 ? values.map(at) : []),
    ...queries.map((query) => at('a') + query),
  ])('get no 5xx, no credentials and no other address: %s', async (target) => {
    vi.spyOn(console, 'log').mockReturnValue()
    const response = await call(target, { headers })
    expect(response.status).toBeGreaterThanOrEqual(300)
    expect(response.status).toBeLessThan(500)
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(response.body.toString()).not.toMatch(/"(key|token)"|mine|Bearer/)
    for (const { url = '', headers: sent } of upstream.received) {
      expect(url).toMatch(/^\/api\/[!-~]*$/)
      expect(url).not.toMatch(/%(2f|5c|3f|23|25|00)|\/\.{1,2}(\/|$)/i)
      expect(sent).not.toHaveProperty('cookie')
      expect(sent['x-svc-api-apptoken']).toBe('token')
    }
  })
})
