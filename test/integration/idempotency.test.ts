import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createResponseStore } from '../../functions/proxy/idempotency/response-store.ts'
import { withIdempotency } from '../../functions/proxy/idempotency/with-idempotency.ts'
import type { ProxyEvent } from '../../functions/proxy/proxy.ts'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { patch, patchGroup, scriptedUpstream, testProxy } from './proxy-setup.ts'

const upstream = scriptedUpstream()
let dynamoDb: Served

beforeEach(async () => {
  dynamoDb = await startDynamoDb({ table: 'state' })
})
afterEach(async () => {
  vi.useRealTimers()
  await dynamoDb.close()
})

const dynamodb = () => new DynamoDBClient({ ...clientSettings, endpoint: dynamoDb.endpoint, maxAttempts: 1 })
const responseStore = () => createResponseStore(connectTable('state', dynamodb()))

function proxy({ timeoutSeconds = 5, host = upstream.host(), redact }: ProxyChange = {}) {
  const store = responseStore()
  return testProxy({
    baseUrl: `http://${host}`,
    timeoutSeconds,
    ...(redact && { redact }),
    withIdempotency: (key, perform) => withIdempotency(store, key, perform),
  })
}

interface ProxyChange {
  readonly timeoutSeconds?: number
  readonly host?: string
  readonly redact?: (text: string) => string
}

const anna = { iam: { userArn: 'arn:aws:iam::1:user/anna' } }
const json = { 'content-type': 'application/json' }
const keyed = (key: string, more: Partial<ProxyEvent> = {}, authorizer: unknown = anna): ProxyEvent => ({
  ...patch({ rawPath: '/api/rns/subscriptions/s1', ...more }),
  headers: { ...json, 'idempotency-key': key },
  requestContext: { requestId: 'r', authorizer },
})

describe('a repeat with the same key', () => {
  it('returns the first response byte for byte and sends nothing', async () => {
    upstream.respond = (response) => {
      response.writeHead(202, { 'content-type': 'application/octet-stream', 'x-secret': '1' })
      response.end(Buffer.from([0, 255, 1, 254]))
    }
    const call = proxy()
    const first = await call(keyed('k1'))
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    const second = await call(keyed('k1'))
    expect(second).toMatchObject({ statusCode: 202, bytes: Buffer.from([0, 255, 1, 254]) })
    expect(second.headers).toEqual({ ...first.headers, 'idempotency-replayed': 'true' })
    expect(upstream.received).toHaveLength(1)
  })

  it('returns it in a coding that this caller accepts', async () => {
    const received = '{"done":"é"}'.repeat(200)
    upstream.respond = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(received))
    const call = proxy()
    const asked = (accept: string) => ({
      ...keyed('k1'),
      headers: { ...keyed('k1').headers, 'accept-encoding': accept },
    })
    const first = await call(asked('gzip'))
    expect(first.headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(gunzipSync(first.bytes).toString()).toBe(received)
    const second = await call(asked('identity'))
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true', vary: 'accept-encoding' })
    expect(second.bytes.toString()).toBe(received)
    expect(upstream.received).toHaveLength(1)
  })

  it('has the same key quoted or bare', async () => {
    const call = proxy()
    await call(keyed('"k1"'))
    expect((await call(keyed('k1'))).headers).toMatchObject({ 'idempotency-replayed': 'true' })
  })

  it.each([400, 404, 409, 410, 422])('returns a response %i again', async (status) => {
    upstream.respond = (response) => response.writeHead(status).end('no')
    const call = proxy()
    await call(keyed('k1'))
    expect(await call(keyed('k1'))).toMatchObject({
      statusCode: status,
      headers: { 'idempotency-replayed': 'true' },
    })
    expect(upstream.received).toHaveLength(1)
  })

  it.each([
    ['another body', { body: '{"status":"x"}' }],
    ['another query', { rawQueryString: 'an=shop' }],
  ])('and %s is a 422', async (_, more) => {
    const group = (change: Partial<ProxyEvent>) => ({
      ...keyed('k1'),
      ...patchGroup(),
      headers: keyed('k1').headers,
      ...change,
    })
    const call = proxy()
    await call(group({}))
    const second = await call(group(more))
    expect(second.statusCode).toBe(422)
    expect(second.problem().type).toBe('urn:longshore:problem:idempotency-key-reused')
  })

  it.each<[string, ProxyEvent]>([
    ['another caller', keyed('k1', {}, { iam: { userArn: 'arn:aws:iam::1:user/otto' } })],
    ['another token', keyed('k1', {}, { jwt: { claims: { iss: 'https://login.example', sub: 'anna' } } })],
    [
      'another path',
      keyed('k1', { rawPath: '/api/rns/subscriptions/s2', pathParameters: { subscriptionId: 's2' } }),
    ],
    ['another key', keyed('k2')],
  ])('of %s is another request', async (_, other) => {
    const call = proxy()
    await call(keyed('k1'))
    const second = await call(other)
    expect(second.statusCode).toBe(200)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    expect(upstream.received).toHaveLength(2)
  })

  it('of another session of the same role returns the first response', async () => {
    const session = (name: string) => ({ iam: { userArn: `arn:aws:sts::1:assumed-role/shop/${name}` } })
    const call = proxy()
    await call(keyed('k1', {}, session('one')))
    expect((await call(keyed('k1', {}, session('two')))).headers).toMatchObject({
      'idempotency-replayed': 'true',
    })
  })

  it('returns the first response for 24 hours', async () => {
    const call = proxy()
    await call(keyed('k1'))
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: now + 24 * 3600_000 - 2_000 })
    expect((await call(keyed('k1'))).headers).toMatchObject({ 'idempotency-replayed': 'true' })
    vi.setSystemTime(now + 24 * 3600_000 + 2_000)
    expect((await call(keyed('k1'))).headers).not.toHaveProperty('idempotency-replayed')
  })

  it('returns the first response without the credentials that the platform echoed', async () => {
    upstream.respond = (response) => response.writeHead(422).end('the-app-token is not allowed')
    const call = proxy()
    expect((await call(keyed('k1'))).body).toBe('[redacted] is not allowed')
    expect((await call(keyed('k1'))).body).toBe('[redacted] is not allowed')
    const { Items = [] } = await dynamodb().send(new ScanCommand({ TableName: 'state' }))
    const [item] = Items
    expect(String(gunzipSync(item?.['response']?.B ?? Buffer.alloc(0)))).toContain('[redacted]')
  })

  it('is a problem that names the status if the first response is too large to store', async () => {
    const received = randomBytes(400_000)
    upstream.respond = (response) => response.writeHead(200).end(received)
    const call = proxy()
    expect((await call(keyed('k1'))).bytes.equals(received)).toBe(true)
    expect((await call(keyed('k1'))).problem()).toMatchObject({
      type: 'urn:longshore:problem:response-too-large',
      detail: expect.stringContaining('status 200'),
    })
    expect(upstream.received).toHaveLength(1)
  })
})

describe('the caller of a token', () => {
  const jwt = (claims: object) => ({ jwt: { claims } })
  const replayed = async (first: object, second: object) => {
    const call = proxy()
    await call(keyed('k1', {}, jwt(first)))
    return 'idempotency-replayed' in ((await call(keyed('k1', {}, jwt(second)))).headers ?? {})
  }
  const iss = 'https://login.example'

  it.each<[string, object, object, boolean]>([
    ['the same sub', { iss, sub: 'a' }, { iss, sub: 'a', client_id: 'x' }, true],
    ['the same client_id without a sub', { iss, client_id: 'a' }, { iss, client_id: 'a' }, true],
    ['another sub', { iss, sub: 'a' }, { iss, sub: 'b' }, false],
    ['another issuer', { iss, sub: 'a' }, { iss: 'https://other.example', sub: 'a' }, false],
    ['a client_id equal to a sub', { iss, sub: 'a' }, { iss, client_id: 'a' }, false],
  ])('is identified with %s', async (_, ...[first, second, isSame]) => {
    expect(await replayed(first, second)).toBe(isSame)
  })

  it.each([{ iss }, { iss, sub: '' }, { iss, sub: null }])(
    'is unknown with the claims %j: a 400',
    async (claims) => {
      const result = await proxy()(keyed('k1', {}, jwt(claims)))
      expect(result.problem()).toMatchObject({
        type: 'urn:longshore:problem:invalid-request',
        header: 'Idempotency-Key',
        detail: expect.stringContaining('client_id'),
      })
      expect(upstream.received).toHaveLength(0)
    },
  )
})

describe('while the outcome is unknown', () => {
  it('a repeat of a running request is a 409', async () => {
    const call = proxy()
    let release = () => {}
    upstream.respond = (response) => {
      release = () => response.end('{"done":true}')
    }
    const first = call(keyed('k1'))
    await vi.waitFor(() => expect(upstream.received).toHaveLength(1), 20_000)
    const second = await call(keyed('k1'))
    expect(second).toMatchObject({ statusCode: 409 })
    expect(second.problem().type).toBe('urn:longshore:problem:idempotency-key-running')
    release()
    expect((await first).bytes.toString()).toBe('{"done":true}')
    expect((await call(keyed('k1'))).bytes.toString()).toBe('{"done":true}')
    expect(upstream.received).toHaveLength(1)
  })

  it('only one of many concurrent requests is sent', async () => {
    let release = () => {}
    upstream.respond = (response) => {
      release = () => response.end('{}')
    }
    const call = proxy()
    let refused = 0
    const results = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const result = await call(keyed('k1'))
        if (result.statusCode === 409) refused += 1
        if (refused === 7) release()
        return result
      }),
    )
    const statuses = results.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    expect(upstream.received).toHaveLength(1)
  })

  it.each([
    ['that timed out', (response: { flushHeaders(): void }) => response.flushHeaders(), 504],
    ['that was interrupted', (response: { destroy(): void }) => response.destroy(), 502],
  ])('a request %s is a 409 until another key is chosen', async (_, respond, status) => {
    upstream.respond = respond as never
    const call = proxy({ timeoutSeconds: 1 })
    const first = await call(keyed('k1'))
    expect(first.statusCode).toBe(status)
    expect(first.problem()).toMatchObject({ outcome: 'unknown' })
    upstream.respond = (response) => response.end('{}')
    const second = await call(keyed('k1'))
    expect(second.statusCode).toBe(409)
    expect(second.problem()).toMatchObject({ type: 'urn:longshore:problem:idempotency-outcome-unknown' })
    expect((await call(keyed('k2'))).statusCode).toBe(200)
    expect(upstream.received).toHaveLength(2)
  })

  it.each([408, 500, 502, 503, 504, 302])(
    'an update that is applied and answered with %i is sent only once',
    async (status) => {
      let applied = 0
      upstream.respond = (response) => {
        applied += 1
        response.writeHead(status, { location: '/elsewhere' }).end('later')
      }
      const call = proxy()
      expect((await call(keyed('k1'))).statusCode).toBe(status === 302 ? 502 : status)
      const second = await call(keyed('k1'))
      expect(second.problem()).toMatchObject({
        type: 'urn:longshore:problem:idempotency-outcome-unknown',
        status: 409,
        outcome: 'unknown',
      })
      expect(applied).toBe(1)
    },
  )

  it('a response that cannot be relayed is a 409', async () => {
    upstream.respond = (response) => response.writeHead(400, { 'content-encoding': 'gzip' }).end('plain')
    const call = proxy()
    expect((await call(keyed('k1'))).statusCode).toBe(502)
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-outcome-unknown')
  })

  it('an unexpected internal error after the request was sent is a 409', async () => {
    const call = proxy({
      redact: () => {
        throw new TypeError('unexpected')
      },
    })
    upstream.respond = (response) => response.writeHead(400).end('no')
    expect((await call(keyed('k1'))).statusCode).toBe(500)
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-outcome-unknown')
    expect(upstream.received).toHaveLength(1)
  })

  it('a request whose function died is a 409', async () => {
    const store = responseStore()
    const call = testProxy({
      baseUrl: `http://${upstream.host()}`,
      withIdempotency: (key, perform) => withIdempotency({ ...store, replace: async () => {} }, key, perform),
    })
    await call(keyed('k1'))
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-key-running')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 })
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-outcome-unknown')
  })
})

describe('a key is free again', () => {
  it.each([401, 403])('after a response %i, which means that nothing was done', async (status) => {
    upstream.respond = (response) => response.writeHead(status).end()
    const call = proxy()
    expect((await call(keyed('k1'))).statusCode).toBe(status)
    upstream.respond = (response) => response.end('{}')
    const second = await call(keyed('k1'))
    expect(second.statusCode).toBe(200)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('after a 429 that outlasted the retries', async () => {
    upstream.respond = (response) => response.writeHead(429, { 'retry-after': '60' }).end()
    const call = proxy()
    expect((await call(keyed('k1'))).statusCode).toBe(429)
    upstream.respond = (response) => response.end('{}')
    expect((await call(keyed('k1'))).statusCode).toBe(200)
  })

  it('when nothing was sent', async () => {
    expect((await proxy({ host: '127.0.0.1:9', timeoutSeconds: 1 })(keyed('k1'))).statusCode).toBe(502)
    expect((await proxy()(keyed('k1'))).statusCode).toBe(200)
  })

  it('when the store was so slow that nothing was sent', async () => {
    const store = responseStore()
    const call = testProxy({
      baseUrl: `http://${upstream.host()}`,
      timeoutSeconds: 0.5,
      withIdempotency: async (key, perform) =>
        withIdempotency(
          {
            ...store,
            async begin(...given) {
              const known = await store.begin(...given)
              await new Promise((resolve) => setTimeout(resolve, 400))
              return known
            },
          },
          key,
          perform,
        ),
    })
    const slow = await call(keyed('k1'))
    expect(slow.problem()).toMatchObject({ type: 'urn:longshore:problem:request-not-sent', status: 503 })
    expect(slow.problem()).not.toHaveProperty('outcome')
    expect(upstream.received).toHaveLength(0)
    expect((await proxy()(keyed('k1'))).statusCode).toBe(200)
  })

  it('when the request was refused before it was sent', async () => {
    const call = proxy()
    expect((await call(keyed('k1', { body: '[]' }))).statusCode).toBe(400)
    expect((await call(keyed('k1'))).statusCode).toBe(200)
  })
})

it.each(['', ' ', '"', '"a', 'a"b', 'ü', 'x'.repeat(256)])('refuses the key %j', async (key) => {
  const result = await proxy()(keyed(key))
  expect(result.statusCode).toBe(400)
  expect(result.problem().detail).toContain('Idempotency-Key')
  expect(upstream.received).toHaveLength(0)
})

it('sends nothing if the key cannot be stored', async () => {
  const call = proxy()
  await dynamoDb.close()
  expect((await call(keyed('k1'))).statusCode).toBe(500)
  expect(upstream.received).toHaveLength(0)
  dynamoDb = await startDynamoDb()
})
