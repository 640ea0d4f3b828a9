import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { placeholder } from '../../functions/platform/areas.ts'
import type { ProxyEvent } from '../../functions/proxy/proxy.ts'
import { dock, patch, type Responder, scriptedUpstream, scroll, search, testProxy } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const proxy = (options: Partial<Parameters<typeof testProxy>[0]> = {}) =>
  testProxy({ baseUrl: `http://${upstream.host()}`, ...options })

describe('retries', () => {
  const failing =
    (status: number): Responder =>
    (response) =>
      response.writeHead(status).end(`try ${upstream.received.length}`)
  const broken: Responder = (response) => response.destroy()
  const truncated: Responder = (response) => {
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
  ])('%s: the last response is relayed', async (_, ...[request, responder, tries, status]) => {
    upstream.respond = responder
    const result = await proxy()(request)
    expect(upstream.received).toHaveLength(tries)
    expect(result).toMatchObject({ statusCode: status, body: `try ${tries}` })
  })

  test.each([
    ['a dock, connection interrupted', dock(), broken, 4],
    ['a search, body truncated', search(), truncated, 4],
    ['a scroll, connection interrupted', scroll(), broken, 1],
    ['a scroll, body truncated', scroll(), truncated, 1],
    ['a patch, connection interrupted', patch(), broken, 1],
    ['a patch, body truncated', patch(), truncated, 1],
  ])('%s: a 502 after the last try', async (_, ...[request, responder, tries]) => {
    upstream.respond = responder
    const result = await proxy()(request)
    expect(upstream.received).toHaveLength(tries)
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:upstream-interrupted',
      status: 502,
    })
  })

  test('a dock is read as soon as the platform responds again', async () => {
    upstream.respond = (response) =>
      upstream.received.length < 3 ? response.destroy() : response.end('{"id":"1"}')
    expect(await proxy()(dock())).toMatchObject({ statusCode: 200, body: '{"id":"1"}' })
    expect(upstream.received).toHaveLength(3)
  })

  test('the wait of Retry-After is observed', async () => {
    upstream.respond = (response) =>
      upstream.received.length === 1
        ? response.writeHead(429, { 'retry-after': '1' }).end()
        : response.end('ok')
    const waits: number[] = []
    const wait = async (ms: number) => void waits.push(ms)
    expect(await proxy({ wait })(patch())).toMatchObject({ statusCode: 200, body: 'ok' })
    expect(waits).toEqual([1_000])
  })

  test('a PATCH is not sent on a connection that the platform may have closed', async () => {
    const call = proxy()
    upstream.respond = (response, request) => {
      // Closes the idle connection as a load balancer does.
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
    ['a dock, no response', dock(), silent, undefined],
    ['a search, half a response', search(), stalled, undefined],
    ['a scroll, no response', scroll(), silent, undefined],
    ['a patch, no response', patch(), silent, 'unknown'],
    ['a patch, half a response', patch(), stalled, 'unknown'],
  ])('a timeout is a 504: %s', async (_, ...[request, responder, outcome]) => {
    upstream.respond = responder
    const result = await proxy({ timeoutSeconds: 0.4 })(request)
    expect(upstream.received).toHaveLength(1)
    expect(result.problem()).toMatchObject({ type: 'urn:longshore:problem:upstream-timeout', status: 504 })
    expect(result.problem().outcome).toBe(outcome)
  })

  test('retries end with the caller’s time', async () => {
    upstream.respond = (response) => void setTimeout(() => response.writeHead(503).end('busy'), 250)
    const result = await proxy({ timeoutSeconds: 0.6 })(dock())
    expect([503, 504]).toContain(result.statusCode)
    // Less than 250 ms are left after the second response.
    expect(upstream.received.length).toBeLessThan(3)
  })

  test.each([
    ['dock', dock()],
    ['scroll', scroll()],
    ['patch', patch()],
  ])('an unreachable platform is a 502 that does not name its port: %s', async (_, request) => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))
    const result = await proxy({ baseUrl: `http://127.0.0.1:${port}` })(request)
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:upstream-unreachable',
      status: 502,
    })
    expect(result.body).not.toContain(String(port))
  })

  test('credentials that are not set are a 503 with the command that sets them', async () => {
    const secret = JSON.stringify({ appKey: placeholder, appToken: placeholder })
    const result = await proxy({ secret })(dock())
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
  ])('credentials that are %s are a 503 that does not quote them', async (_, secret) => {
    const result = await proxy({ secret })(patch())
    expect(result.problem()).toMatchObject({
      type: 'urn:longshore:problem:credentials-unreadable',
      status: 503,
    })
    expect(result.body).not.toContain('canary')
    expect(upstream.received).toHaveLength(0)
  })

  test('rotated credentials are used at once, for a PATCH too', async () => {
    let version = 1
    const call = proxy({
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

  test('a rejection of the credentials is relayed as the platform’s response', async () => {
    upstream.respond = (response) => response.writeHead(403, { 'www-authenticate': 'x' }).end('no')
    expect(await proxy()(dock())).toMatchObject({ statusCode: 403, body: 'no', headers: {} })
    expect(upstream.received).toHaveLength(1)
  })
})
