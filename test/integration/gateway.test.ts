import http from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { maxResultBytes } from '../../functions/http/result.ts'
import { corsOf } from '../../lib/cors.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { startGateway } from '../../local/gateway/gateway.ts'

const handler = vi.fn<(event: APIGatewayProxyEventV2) => Promise<unknown>>()
const shortHandler = vi.fn<() => Promise<unknown>>()
const routes = ['/syncs/{entity}', '/syncs/{entity}/runs/{runId}', '/syncs/all', '/docks/{dockId}'].flatMap(
  (path) => ['GET', 'PATCH'].map((method) => ({ method, path, handler })),
)

let gateway: Served
let hasty: Served
beforeAll(async () => {
  gateway = await startGateway({ routes })
  const route = { method: 'GET', path: '/', handler: shortHandler }
  hasty = await startGateway({ routes: [route], functionTimeoutSeconds: 0.1, integrationTimeoutMs: 200 })
})
afterAll(() => Promise.all([gateway.close(), hasty.close()]))
beforeEach(() => void handler.mockReset().mockResolvedValue({ statusCode: 200 }))

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

/** Not fetch, which would normalize the path. */
function call(path: string, { method = 'GET', headers = {}, body }: Call = {}, endpoint = gateway.endpoint) {
  const { hostname, port } = new URL(endpoint)
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }>((done, fail) => {
    const request = http.request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = String(Buffer.concat(chunks))
        done({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      })
    })
    request.on('error', fail)
    request.end(body)
  })
}

const event = () => handler.mock.lastCall?.[0] as APIGatewayProxyEventV2

describe('the event of a request', () => {
  it.each([
    ['/docks/a%20b%C3%A9%2B', '/docks/a bé+', { dockId: 'a bé+' }],
    ['/docks/100%25', '/docks/100%', { dockId: '100%' }],
    ['/docks/%252F', '/docks/%2F', { dockId: '%2F' }],
    ['/docks/a%23b', '/docks/a#b', { dockId: 'a#b' }],
    ['/docks/a%3Fb=c', '/docks/a', { dockId: 'a' }],
    ['/docks/%2e%2e', '/docks/..', { dockId: '..' }],
    ['/syncs/CL/runs/7', '/syncs/CL/runs/7', { entity: 'CL', runId: '7' }],
    ['/syncs/all', '/syncs/all', undefined],
  ])('for %s has the path %s', async (path, rawPath, pathParameters) => {
    await call(path)
    expect(event()).toMatchObject({ rawPath, requestContext: { http: { path: rawPath } } })
    expect(event().pathParameters).toEqual(pathParameters)
  })

  it('has the query as sent, and also decoded with repeated parameters joined', async () => {
    await call('/syncs/CL?a=1%2B&b=x+y&a=%20?')
    expect(event().rawQueryString).toBe('a=1%2B&b=x+y&a=%20?')
    expect(event().queryStringParameters).toEqual({ a: '1+, ?', b: 'x y' })
  })

  it('has lower-case headers with repeated ones joined, and cookies in a list of their own', async () => {
    await call('/syncs/CL', { headers: { 'X-One': ['1', '2'], Cookie: 'a=1; b=2' } })
    expect(event().headers).toMatchObject({ 'x-one': '1,2', 'x-forwarded-proto': 'http' })
    expect(event().headers).not.toHaveProperty('cookie')
    expect(event().cookies).toEqual(['a=1', 'b=2'])
  })

  it('describes where and how the request was received', async () => {
    await call('/syncs/CL', { headers: { 'User-Agent': 'test/1' } })
    const { host } = new URL(gateway.endpoint)
    expect(event()).toMatchObject({
      version: '2.0',
      routeKey: 'GET /syncs/{entity}',
      requestContext: {
        domainName: host,
        stage: '$default',
        routeKey: 'GET /syncs/{entity}',
        http: { method: 'GET', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test/1' },
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/) as string,
        authorizer: { iam: { userArn: expect.stringContaining('local') as string } },
      },
    })
  })

  it.each([
    ['application/json', '{"é":1}', { body: '{"é":1}', isBase64Encoded: false }],
    ['text/plain; charset=utf-8', 'x', { body: 'x', isBase64Encoded: false }],
    ['application/vnd.api+json', '{}', { body: 'e30=', isBase64Encoded: true }],
    ['application/octet-stream', Buffer.from([0, 255]), { body: 'AP8=', isBase64Encoded: true }],
    ['application/json', '', { body: undefined, isBase64Encoded: false }],
  ])('of a %s body %j is %j', async (type, body, expected) => {
    await call('/docks/a', { method: 'PATCH', headers: { 'content-type': type }, body })
    expect({ body: event().body, isBase64Encoded: event().isBase64Encoded }).toEqual(expected)
  })
})

describe('the gateway invokes a function', () => {
  it.each([
    ['for a request to its loopback name', (port: string) => ({ host: `LOCALHOST:${port}` })],
    ['for a request to its IPv6 address', (port: string) => ({ host: `[::1]:${port}` })],
    ['for a request from its own page', (port: string) => ({ origin: `http://127.0.0.1:${port}` })],
    ['for a program that sends no browser headers', () => ({})],
  ])('%s', async (_how, headers) => {
    const { port } = new URL(gateway.endpoint)
    expect((await call('/docks/a', { headers: headers(port) })).status).not.toBe(403)
    expect(handler).toHaveBeenCalledTimes(1)
  })
})

describe('the gateway invokes no function', () => {
  it.each([
    ['/elsewhere', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/a%2Fb', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/a', 'DELETE', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/%FF', 'GET', { status: 400, body: '{"message":"Bad Request"}' }],
    ['/docks/100%', 'GET', { status: 400, body: '{"message":"Bad Request"}' }],
  ])('for %s %s', async (path, method, received) => {
    expect(await call(path, { method })).toMatchObject(received)
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([
    ['another host name', { host: 'shop.example' }],
    ['a host name that only begins like ours', { host: 'localhost.example:80' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['an image on a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a link on a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('for a request from %s', async (_from, headers) => {
    const refused = await call('/docks/a', { headers })
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body)).toEqual({ message: expect.any(String) as string })
    expect(handler).not.toHaveBeenCalled()
  })

  it('for a body of more than 10 MB, with or without a Content-Length', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1)
    const results = [
      await call('/docks/a', { method: 'PATCH', body }),
      await call('/docks/a', { method: 'PATCH', body, headers: { 'transfer-encoding': 'chunked' } }),
    ]
    expect(results.map(({ status }) => status)).toEqual([413, 413])
    expect(handler).not.toHaveBeenCalled()
  })

  it('for a body that is larger than 6 MB as an event, although it is smaller than 10 MB', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    const base64 = await call('/docks/a', { method: 'PATCH', headers, body: Buffer.alloc(4.6 * 1024 * 1024) })
    expect(base64).toMatchObject({ status: 413, body: '{"message":"Request Too Long"}' })
    expect(handler).not.toHaveBeenCalled()
    const fits = await call('/docks/a', { method: 'PATCH', headers, body: Buffer.alloc(4.4 * 1024 * 1024) })
    expect(fits.status).toBe(200)
  })

  it('for a request line and headers of more than 10,240 bytes together', async () => {
    const path = `/docks/a?q=${'x'.repeat(5_000)}`
    expect((await call(path, { headers: { 'x-note': 'y'.repeat(5_000) } })).status).toBe(200)
    handler.mockClear()
    expect(await call(path, { headers: { 'x-note': 'y'.repeat(5_300) } })).toMatchObject({
      status: 431,
      body: '{"message":"Request Header Fields Too Large"}',
    })
    expect(handler).not.toHaveBeenCalled()
  })
})

describe('the response', () => {
  it('has the status, headers, cookies and bytes of the function’s result', async () => {
    handler.mockResolvedValue({
      statusCode: 202,
      headers: { 'Content-Type': 'application/json', 'X-N': 1, 'Content-Length': '99', Connection: 'close' },
      cookies: ['a=1; Secure', 'b=2'],
      body: Buffer.from('{"é":1}').toString('base64'),
      isBase64Encoded: true,
    })
    const received = await call('/syncs/CL')
    expect(received).toMatchObject({ status: 202, body: '{"é":1}' })
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'x-n': '1',
      'set-cookie': ['a=1; Secure', 'b=2'],
    })
  })

  it.each([
    ['an object without a status', { ok: true }, 200, '{"ok":true}', 'application/json'],
    ['a string', 'text', 200, 'text', 'application/json'],
    ['no content type', { statusCode: 201, body: 'x' }, 201, 'x', 'text/plain;charset=UTF-8'],
    [
      'a status that is none',
      { statusCode: 'x' },
      500,
      '{"message":"Internal Server Error"}',
      'application/json',
    ],
    [
      'a body that is no string',
      { statusCode: 200, body: {} },
      500,
      '{"message":"Internal Server Error"}',
      'application/json',
    ],
  ])('for %s', async (...[, received, status, body, type]) => {
    handler.mockResolvedValue(received)
    expect(await call('/syncs/CL')).toMatchObject({ status, body, headers: { 'content-type': type } })
  })

  it('is a 500 without a reason if the function throws or returns more than Lambda allows', async () => {
    const body = 'x'.repeat(maxResultBytes - '{"statusCode":200,"body":""}'.length)
    handler.mockResolvedValueOnce({ statusCode: 200, body })
    expect(await call('/syncs/CL')).toMatchObject({ status: 200 })
    handler.mockRejectedValueOnce(new Error('secret'))
    handler.mockResolvedValueOnce({ statusCode: 200, body: `${body}x` })
    for (const received of [await call('/syncs/CL'), await call('/syncs/CL')]) {
      expect(received).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' })
    }
  })

  it('is a 500 if the function times out', async () => {
    shortHandler.mockReturnValue(new Promise(() => undefined))
    const received = await call('/', {}, hasty.endpoint)
    expect(received).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' })
  })

  it('is a 503 if API Gateway times out before the function', async () => {
    const route = { method: 'GET', path: '/', handler: shortHandler }
    const impatient = await startGateway({ routes: [route], integrationTimeoutMs: 50 })
    const received = await call('/', {}, impatient.endpoint)
    await impatient.close()
    expect(received).toMatchObject({ status: 503, body: '{"message":"Service Unavailable"}' })
  })
})

describe('browsers with pages of other origins', () => {
  const origin = 'https://app.example.com'
  const asks = (from: string, method: string) => ({
    origin: from,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,rest-range',
  })
  const corsHeadersOf = ({ headers }: { headers: http.IncomingHttpHeaders }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

  let open: Served
  let toAll: Served
  beforeAll(async () => {
    open = await startGateway({ routes, cors: corsOf([origin], 'X-Shop') })
    toAll = await startGateway({ routes, cors: corsOf(['*'], 'X-Shop') })
  })
  afterAll(() => Promise.all([open.close(), toAll.close()]))

  it.each(['/docks/a', '/elsewhere'])(
    'get a response to the preflight of %s that lists what they may send',
    async (path) => {
      const question = { method: 'OPTIONS', headers: asks(origin, 'PATCH') }
      const received = await call(path, question, open.endpoint)
      expect(received).toMatchObject({ status: 204, body: '' })
      expect(corsHeadersOf(received)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
        'access-control-allow-headers':
          'authorization,content-type,idempotency-key,if-none-match,rest-range,traceparent,x-amz-content-sha256,x-amz-date,x-amz-security-token',
        'access-control-max-age': '3600',
      })
      expect(handler).not.toHaveBeenCalled()
    },
  )

  it('may read responses and errors, with the headers that a caller needs', async () => {
    handler.mockResolvedValue({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' } })
    for (const path of ['/docks/a', '/elsewhere']) {
      const received = await call(path, { headers: { origin } }, open.endpoint)
      expect(received.headers['access-control-allow-origin']).toBe(origin)
      expect(received.headers['access-control-expose-headers']?.split(',')).toEqual(
        expect.arrayContaining([
          'apigw-requestid',
          'idempotency-replayed',
          'link',
          'rest-content-range',
          'rest-content-total',
          'retry-after',
          'x-shop-md-token',
        ]),
      )
    }
  })

  it.each([
    ['an origin that is not configured', () => open, 'https://app.example.com.evil.example', {}],
    ['an origin in other letters', () => open, 'HTTPS://APP.EXAMPLE.COM', {}],
    ['no origin', () => open, undefined, {}],
    ['an API without origins', () => gateway, origin, {}],
    ['an API for all', () => toAll, 'https://other.example', { 'access-control-allow-origin': '*' }],
  ])('%s', async (...[, served, from, expected]) => {
    handler.mockResolvedValue({ statusCode: 200, headers: {} })
    const headers = from === undefined ? {} : { origin: from }
    const { 'access-control-expose-headers': exposed, ...rest } = corsHeadersOf(
      await call('/docks/a', { headers }, served().endpoint),
    )
    expect(rest).toEqual(expected)
    expect(exposed !== undefined).toBe('access-control-allow-origin' in expected)
  })

  it('get no permission if no origin or another one is configured', async () => {
    const question = { method: 'OPTIONS', headers: asks('https://evil.example', 'GET') }
    expect(corsHeadersOf(await call('/docks/a', question, open.endpoint))).toEqual({})
    expect(await call('/docks/a', question)).toMatchObject({ status: 403 })
  })

  it('are never allowed to send cookies', async () => {
    for (const served of [open, toAll]) {
      const question = { method: 'OPTIONS', headers: asks(origin, 'GET') }
      const results = [
        await call('/docks/a', question, served.endpoint),
        await call('/docks/a', { headers: { origin } }, served.endpoint),
      ]
      for (const { headers } of results)
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })
})

it('every response has the request id of the event', async () => {
  const { headers } = await call('/docks/a')
  expect(headers['apigw-requestid']).toBe(event().requestContext.requestId)
  expect((await call('/elsewhere')).headers['apigw-requestid']).toMatch(/^[0-9a-f-]{36}$/)
})

describe('a route of several segments', () => {
  it('receives what no other route matches, and pages are shown before it', async () => {
    const unmatched = vi
      .fn<(event: APIGatewayProxyEventV2) => Promise<unknown>>()
      .mockResolvedValue({ statusCode: 405 })
    const page = (path: string) =>
      path === '/page' ? { status: 200, headers: {}, body: Buffer.from('a page') } : undefined
    const methods = ['GET', 'HEAD', 'DELETE'].map((method) => ({
      method,
      path: '/{proxy+}',
      handler: unmatched,
    }))
    const greedy = await startGateway({
      page,
      routes: [...methods, { method: 'GET', path: '/docks/{dockId}', handler }],
    })
    const status = async (path: string, method = 'GET') =>
      (await call(path, { method }, greedy.endpoint)).status
    expect([await status('/docks/a'), await status('/page')]).toEqual([200, 200])
    expect(unmatched).not.toHaveBeenCalled()
    expect([
      await status('/docks/a', 'DELETE'),
      await status('/docks/a/b'),
      await status('/page', 'HEAD'),
    ]).toEqual([405, 405, 405])
    expect(
      unmatched.mock.calls.map(([{ routeKey, rawPath, pathParameters }]) => [
        routeKey,
        rawPath,
        pathParameters?.['proxy'],
      ]),
    ).toEqual([
      ['DELETE /{proxy+}', '/docks/a', 'docks/a'],
      ['GET /{proxy+}', '/docks/a/b', 'docks/a/b'],
      ['HEAD /{proxy+}', '/page', 'page'],
    ])
    expect(await status('/', 'GET')).toBe(404)
    await greedy.close()
  })
})
