import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { maxResultBytes } from '../../functions/http/result.ts'
import { resolveConfig } from '../../lib/config.ts'
import { endpoints as others } from '../endpoints.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './scripted-upstream.ts'

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
