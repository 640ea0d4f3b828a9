import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { placeholder } from '../../functions/platform/areas.ts'
import type { ProxyEvent } from '../../functions/proxy/proxy.ts'
import { dock, frontDoor, patch, type Responder, scriptedUpstream, scroll, search } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const door = (options: Partial<Parameters<typeof frontDoor>[0]> = {}) =>
  frontDoor({ baseUrl: `http://${upstream.host()}`, ...options })

describe('how often the platform is asked', () => {
  const failing =
    (status: number): Responder =>
    (response) =>
      response.writeHead(status).end(`try ${upstream.received.length}`)
  const broken: Responder = (response) => response.destroy()
  const cutOff: Responder = (response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{')
    setTimeout(() => response.destroy(), 10)
  }

  test.each([
    ['a dock, 503', dock(), failing(503), 4, 503],
    ['a search, 429', search(), failing(429), 4, 429],
    ['a dock, 500', dock(), failing(500), 1, 500],
    ['a scroll, 503', scroll(), failing(503), 1, 503],
    ['a scroll, 429', scroll(), failing(429), 4, 429],
    ['a patch, 504', patch(), failing(504), 1, 504],
    ['a patch, 429', patch(), failing(429), 4, 429],
  ])('%s: the last answer comes down', async (_, ...[request, responder, tries, status]) => {
    upstream.respond = responder
    const result = await door()(request)
    expect(upstream.received).toHaveLength(tries)
    expect(result).toMatchObject({ statusCode: status, body: `try ${tries}` })
  })

  test.each([
    ['a dock, connection broken', dock(), broken, 4],
    ['a search, body cut off', search(), cutOff, 4],
    ['a scroll, connection broken', scroll(), broken, 1],
    ['a scroll, body cut off', scroll(), cutOff, 1],
    ['a patch, connection broken', patch(), broken, 1],
    ['a patch, body cut off', patch(), cutOff, 1],
  ])('%s', async (_, ...[request, responder, tries]) => {
    upstream.respond = responder
    const result = await door()(request)
    expect(upstream.received).toHaveLength(tries)
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:upstream-interrupted',
      status: 502,
    })
  })

  test('a dock that comes back is read', async () => {
    upstream.respond = (response) =>
      upstream.received.length < 3 ? response.destroy() : response.end('{"id":"1"}')
    expect(await door()(dock())).toMatchObject({ statusCode: 200, body: '{"id":"1"}' })
    expect(upstream.received).toHaveLength(3)
  })

  test('Retry-After is waited for', async () => {
    upstream.respond = (response) =>
      upstream.received.length === 1
        ? response.writeHead(429, { 'retry-after': '1' }).end()
        : response.end('ok')
    const startedAt = Date.now()
    expect(await door()(patch())).toMatchObject({ statusCode: 200, body: 'ok' })
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990)
  })

  test('a patch is not sent over a connection that the platform may have left', async () => {
    const call = door()
    upstream.respond = (response, request) => {
      // Closes the idle connection as a balancer does, without a word in time.
      response.end('{}', () => setTimeout(() => request.socket.destroy(), 100))
    }
    await call(dock())
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await call(patch())).statusCode).toBe(200)
  })
})

describe('failures', () => {
  const silent: Responder = () => undefined
  const stalled: Responder = (response) => void response.writeHead(200).write('{')

  test.each<[string, ProxyEvent, Responder, string | undefined]>([
    ['a dock, no answer', dock(), silent, undefined],
    ['a search, half an answer', search(), stalled, undefined],
    ['a scroll, no answer', scroll(), silent, undefined],
    ['a patch, no answer', patch(), silent, 'unknown'],
    ['a patch, half an answer', patch(), stalled, 'unknown'],
  ])('too slow: %s', async (_, ...[request, responder, outcome]) => {
    upstream.respond = responder
    const startedAt = Date.now()
    const result = await door({ timeoutSeconds: 0.4 })(request)
    expect(Date.now() - startedAt).toBeLessThan(1_500)
    expect(upstream.received).toHaveLength(1)
    expect(result.problem()).toMatchObject({ type: 'urn:longshore:problem:upstream-timeout', status: 504 })
    expect(result.problem().outcome).toBe(outcome)
  })

  test('repeats end with the caller’s time', async () => {
    upstream.respond = (response) => void setTimeout(() => response.writeHead(503).end('busy'), 250)
    const startedAt = Date.now()
    const result = await door({ timeoutSeconds: 0.6 })(dock())
    expect(Date.now() - startedAt).toBeLessThan(1_000)
    expect([503, 504]).toContain(result.statusCode)
    expect(upstream.received.length).toBeLessThan(4)
  })

  test.each([
    ['dock', dock()],
    ['scroll', scroll()],
    ['patch', patch()],
  ])('nobody there: %s', async (_, request) => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const result = await door({ baseUrl: `http://127.0.0.1:${port}` })(request)
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:upstream-unreachable',
      status: 502,
    })
    expect(result.body).not.toContain(String(port))
  })

  test('credentials not set', async () => {
    const secret = JSON.stringify({ appKey: placeholder, appToken: placeholder })
    const result = await door({ secret })(dock())
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:credentials-not-set',
      status: 503,
      detail: expect.stringContaining('aws secretsmanager put-secret-value'),
    })
    expect(upstream.received).toHaveLength(0)
  })

  test.each([
    ['malformed', '{"appKey":"canary"}'],
    ['not JSON', 'canary'],
    ['not readable', async () => Promise.reject(new Error('arn:aws:canary is denied'))],
  ])('credentials %s', async (_, secret) => {
    const result = await door({ secret })(patch())
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:credentials-unreadable',
      status: 503,
    })
    expect(result.body).not.toContain('canary')
    expect(upstream.received).toHaveLength(0)
  })

  test('a secret that was rotated is used at once, for a patch too', async () => {
    let version = 1
    const call = door({
      secret: async () => ({
        value: JSON.stringify({ appKey: `key-${version}`, appToken: 't' }),
        version: String(version),
      }),
    })
    upstream.respond = (response, request) =>
      response.writeHead(request.headers['x-shop-api-appkey'] === `key-${version}` ? 200 : 401).end()
    expect((await call(patch())).statusCode).toBe(200)
    version = 2
    expect((await call(patch())).statusCode).toBe(200)
    expect(upstream.received.map(({ headers }) => headers['x-shop-api-appkey'])).toEqual([
      'key-1',
      'key-1',
      'key-2',
    ])
  })

  test('credentials that the platform rejects come down as its own answer', async () => {
    upstream.respond = (response) => response.writeHead(403, { 'www-authenticate': 'x' }).end('no')
    expect(await door()(dock())).toMatchObject({ statusCode: 403, body: 'no', headers: {} })
    expect(upstream.received).toHaveLength(1)
  })
})
