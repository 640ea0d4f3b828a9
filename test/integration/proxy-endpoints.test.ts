import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parameterNames } from '../../functions/http/path-template.ts'
import { maxResultBytes } from '../../functions/http/result.ts'
import { resolveConfig } from '../../lib/config.ts'
import { endpoints as others } from '../endpoints.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './proxy-setup.ts'

/** The example of docs/configuration.md. */
function documented(): typeof others {
  const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  const [, example = ''] = /^```ts\nendpoints: (\[.*?^\])\n```/ms.exec(page) ?? []
  return JSON.parse(JSON.stringify(runInNewContext(`(${example})`)))
}

const [subscription, ...further] = others
const { endpoints } = resolveConfig({
  upstream: { baseUrl: 'https://shop.example.com' },
  endpoints: [...documented(), ...further],
})

const upstream = scriptedUpstream()
const call = proxyBehindGateway({ url: () => `http://${upstream.host()}`, endpoints, account: 'shop' })

it('the documentation has three examples, one of them the subscription, and 12 endpoints are configured here', () => {
  expect(documented()).toMatchObject([{ area: subscription?.area }, {}, {}])
  expect(endpoints).toHaveLength(12)
})

const list = '/api/oms/pvt/orders'

it.each([
  ['/api/rns/subscriptions/s%201'],
  [
    '/api/rns/subscriptions?page=2&status[]=a&status%5B%5D=b&an=shop',
    '/api/rns/subscriptions?page=2&status%5B%5D=a&status%5B%5D=b',
  ],
  ['/api/logistics/pvt/configuration/docks/d/schedules/7'],
  [`${list}/summary`],
  [`${list}/1-01`],
  [`${list}/%7BpaymentId%7D/payments/p`],
  ['/api/dataentities/CL/documents/7?_fields=id'],
  ['/api/a.b/_c~d-e'],
  [
    `${list}/feed?a[b][]=1&_size=5000&_token=&x=1&x=2`,
    `${list}/feed?a%5Bb%5D%5B%5D=1&_size=5000&_token=&x=1&x=2`,
  ],
])('sends %s to the platform', async (path, url = path) => {
  expect((await call(path)).status).toBe(200)
  expect(upstream.received).toMatchObject([{ method: 'GET', url, headers: { 'x-svc-api-appkey': 'key' } }])
})

it.each([
  ['/1?page=1', 'page'],
  ['?status[]=1', 'status[]'],
  ['?PAGE=1', 'PAGE'],
  ['?an=other', 'an'],
  ['/feed?A%20N=other', 'an'],
  ['/feed?X-Amz-Date=1', 'X-Amz-Date'],
  ['/feed?x-svc-api-appToken=1', 'x-svc-api-appToken'],
  ['/feed?access_token=1', 'access_token'],
  ['/feed?=1', ''],
  ['/feed?a%09=1', 'a\t'],
  ['/a%5Cb', 'orderId'],
  ['/a/payments/%2e%2e', 'paymentId'],
  ['/%2523/payments/b', 'orderId'],
])('refuses a list with %s, and names the parameter', async (end, parameter) => {
  const response = await call(list + end)
  expect([response.status, response.json()]).toMatchObject([400, { parameter, title: 'Invalid request' }])
  expect(upstream.received).toEqual([])
})

it('returns the listed headers and a Cache-Control of its own, and nothing else', async () => {
  const headers = {
    'content-type': 'application/json',
    etag: 'W/"1"',
    'last-modified': 'x',
    'retry-after': '1',
    'x-page': '7',
  }
  const dropped = {
    'set-cookie': 'a=b',
    'cache-control': 'public',
    link: '<x>',
    location: '/x',
    'x-other': '1',
  }
  upstream.respond = (response) => response.writeHead(200, { ...headers, ...dropped }).end('[]')
  const returned = (await call(list)).headers
  for (const name of ['date', 'connection', 'apigw-requestid']) delete returned[name]
  expect(returned).toEqual({ ...headers, 'cache-control': 'private, no-cache', 'content-length': '2' })
})

it('asks with If-None-Match only, and returns 304 without a body', async () => {
  upstream.respond = (response, { headers }) =>
    response.writeHead(headers['if-none-match'] === '"1", "2"' ? 304 : 500, { etag: '"2"' }).end()
  const response = await call(`${list}/1`, {
    headers: { 'if-none-match': '"1", "2"', 'if-modified-since': 'x' },
  })
  expect([response.status, response.body.length]).toEqual([304, 0])
  expect(response.headers).toMatchObject({ etag: '"2"', 'cache-control': 'private, no-cache' })
  expect(upstream.received[0]?.headers).not.toHaveProperty('if-modified-since')
})

it('is repeated after 503, and names what helps if its response is too large', async () => {
  upstream.respond = (response) => response.writeHead(upstream.received.length < 2 ? 503 : 200).end('{}')
  expect((await call(`${list}/1`)).status).toBe(200)
  expect(upstream.received).toHaveLength(2)
  upstream.respond = (response) => response.end(Buffer.alloc(maxResultBytes + 1, ' '))
  const large = await call(`${list}/1`)
  expect([large.status, large.json().detail]).toEqual([
    502,
    expect.stringContaining('Read it on the platform'),
  ])
})

it('relays almost 6 MB, and a compressed body unchanged', async () => {
  const packed = gzipSync('[1]')
  for (const [body, headers] of [
    [Buffer.alloc(maxResultBytes - 2_000, 'x'), {}],
    [packed, { 'content-encoding': 'gzip' }],
  ] as const) {
    upstream.respond = (response) => response.writeHead(200, headers).end(body)
    const response = await call(`${list}/1`, {
      headers: body === packed ? { 'accept-encoding': 'gzip' } : {},
    })
    expect(response.body.equals(body)).toBe(true)
    expect(response.headers).toMatchObject(headers)
  }
})

describe.each(endpoints)('hostile requests to $path', ({ path }) => {
  const values = '.. %2e %00 %5c %252F %3F %23 %ff %EF%BF%BD %E2%80%AE a%0d%0aHost:b __proto__'.split(' ')
  const queries =
    `?% ?= ?a[]=%zz ?an=x ?__proto__=1 ?constructor ?x-amz-a=t ?%00=1 ?${'a'.repeat(5000)}=1`.split(' ')
  const at = (value: string) => path.replaceAll(/\{[^}]+\}/g, value)
  const paths = parameterNames(path).length > 0 ? values.map(at) : []

  it.each([...paths, ...queries.map((query) => at('a') + query)])(
    'get no 5xx and no credentials: %s',
    async (target) => {
      upstream.respond = (response, { headers }) =>
        response
          .writeHead(400, { 'content-type': 'text/plain', 'set-cookie': 'a=b' })
          .end(JSON.stringify(headers))
      const headers = {
        cookie: 'a=b',
        authorization: 'Bearer b',
        'x-svc-api-apptoken': 'mine',
        'if-none-match': '"a"',
        te: 'trailers',
      }
      const response = await call(target, { headers })
      expect(Math.floor(response.status / 100)).toBe(4)
      expect(response.headers).not.toHaveProperty('set-cookie')
      expect(response.body.toString()).not.toMatch(/"(key|token)"|mine|Bearer/)
      for (const { url, headers: sent } of upstream.received) {
        expect(url).toMatch(/^\/api\/(?!.*(?:%(?:2f|5c|3f|23|25|00)|\/\.{1,2}(?:\/|$)))[!-~]*$/i)
        expect([sent.cookie, sent['x-svc-api-apptoken']]).toEqual([undefined, 'token'])
      }
    },
  )
})
