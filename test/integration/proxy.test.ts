import { gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { dock, patch, scriptedUpstream, scroll, search, testProxy } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const proxy = () => testProxy({ baseUrl: `http://${upstream.host()}` })

const callersHeaders = {
  authorization: 'AWS4-HMAC-SHA256 of the caller',
  'x-amz-security-token': 'of the caller',
  cookie: 'a=b',
  'x-shop-api-appkey': 'of the caller',
  'x-shop-api-apptoken': 'of the caller',
  'x-svc-api-appkey': 'of the caller',
  'x-forwarded-for': '192.0.2.1',
  'x-custom': 'of the caller',
  'user-agent': 'of the caller',
  host: 'proxy.example',
  te: 'trailers',
  range: 'bytes=0-1',
}

describe('what the platform receives', () => {
  test('for a dock: path, credentials and JSON headers, and no header of the caller', async () => {
    await proxy()(dock({ pathParameters: { dockId: 'dôck 1' }, headers: callersHeaders, body: 'ignored' }))
    expect(upstream.received).toHaveLength(1)
    expect(upstream.received[0]).toMatchObject({
      method: 'GET',
      url: '/api/logistics/pvt/configuration/docks/d%C3%B4ck%201',
      body: Buffer.alloc(0),
    })
    const { host, connection, ...headers } = upstream.received[0]?.headers ?? {}
    expect(host).toBe(upstream.host())
    expect(connection).toBe('keep-alive')
    expect(headers).toEqual({
      accept: 'application/json',
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Longshore/),
      'x-shop-api-appkey': 'the-app-key',
      'x-shop-api-apptoken': 'the-app-token',
    })
  })

  test('for a search: the range and the query byte for byte', async () => {
    const rawQueryString = 'email=a%2Bb@c.d&_where=(a%3D1+AND%20b)&email=x&_sort=id'
    await proxy()(
      search({ rawQueryString, headers: { ...callersHeaders, 'rest-range': 'resources=100-200' } }),
    )
    expect(upstream.received[0]?.url).toBe(`/api/dataentities/CL/search?${rawQueryString}`)
    expect(upstream.received[0]?.headers).toMatchObject({ 'rest-range': 'resources=100-200' })
  })

  test('for a PATCH: the caller’s body byte for byte with the caller’s Content-Type', async () => {
    const body = '{ "item" : {"quantity": 12345678901234567890.10, "a":"é\\u00e9"},\r\n "z":1, "a":2 }'
    const headers = { ...callersHeaders, 'content-type': 'application/merge-patch+json; charset=utf-8' }
    const base64 = Buffer.from(body).toString('base64')
    for (const given of [{ body }, { body: base64, isBase64Encoded: true }]) {
      await proxy()(patch({ ...given, headers }))
    }
    expect(upstream.received).toHaveLength(2)
    for (const request of upstream.received) {
      expect(request.body.toString()).toBe(body)
      expect(request.headers).toMatchObject({
        'content-type': headers['content-type'],
        'content-length': String(Buffer.byteLength(body)),
      })
      expect(Object.values(request.headers).join()).not.toContain('of the caller')
    }
  })
})

describe('what the caller receives', () => {
  test.each([
    ['JSON', Buffer.from('{"id":"1", "n": 1.00}\n'), 200],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 200],
    ['an HTML page as an error', Buffer.from('<html>é</html>'), 500],
    ['an empty body', Buffer.alloc(0), 200],
    ['4 MB of random bytes', Buffer.from(Array.from({ length: 4_000_000 }, (_, i) => (i * 7919) % 256)), 404],
  ])('is %s byte for byte', async (_, body, status) => {
    upstream.respond = (response) => response.writeHead(status, { 'content-type': 'x/y' }).end(body)
    const result = await proxy()(dock())
    expect(result.statusCode).toBe(status)
    expect(result.headers).toMatchObject({ 'content-type': 'x/y' })
    expect(result.headers).not.toHaveProperty('content-encoding')
    expect(result.bytes.equals(body)).toBe(true)
  })

  test('is a compressed body, unchanged', async () => {
    const body = gzipSync('{"a":1}')
    upstream.respond = (response, request) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(body)
    }
    const result = await proxy()(dock({ headers: { 'accept-encoding': 'gzip' } }))
    expect(result.headers).toEqual({
      'content-encoding': 'gzip',
      'content-type': 'application/json',
      vary: 'accept-encoding',
    })
    expect(result.bytes).toEqual(body)
  })

  test('has the listed headers only', async () => {
    upstream.respond = (response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'X-Shop-MD-TOKEN': 'next',
        'REST-Content-Total': '5000',
        'REST-Content-Range': 'resources=0-1/5',
        'Set-Cookie': ['a=b', 'c=d'],
        'Keep-Alive': 'timeout=9',
        'X-Powered-By': 'it',
        Trailer: 'x',
        Link: '<https://platform.example/next>; rel="next"',
      })
      response.write('[')
      response.end(']')
    }
    const token = {
      'content-type': 'application/json',
      'x-shop-md-token': 'next',
      'rest-content-total': '5000',
    }
    const range = { 'content-type': 'application/json', 'rest-content-range': 'resources=0-1/5' }
    expect((await proxy()(scroll())).headers).toEqual(token)
    expect((await proxy()(search({ rawQueryString: '_sort=id' }))).headers).toEqual(range)
    expect((await proxy()(search())).headers).toEqual({
      ...range,
      'longshore-warning': expect.stringContaining('_sort'),
    })
  })

  test('is a problem instead of an endless response, which is aborted at the limit', async () => {
    let closed = false
    upstream.respond = (response) => {
      const chunk = Buffer.alloc(1_000_000, 'x')
      const pour = () => {
        while (!closed && response.write(chunk));
      }
      response.on('drain', pour).on('close', () => {
        closed = true
      })
      pour()
    }
    const result = await proxy()(search())
    expect(result.problem()).toMatchObject({ type: 'urn:longshore:problem:response-too-large' })
    await vi.waitFor(() => expect(closed).toBe(true), 20_000)
  })
})
