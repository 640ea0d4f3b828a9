import { gunzipSync, gzipSync } from 'node:zlib'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerStore } from '../../functions/proxy/idempotency/answers.aws.ts'
import { once } from '../../functions/proxy/idempotency/with-idempotency.ts'
import type { ProxyEvent } from '../../functions/proxy/proxy.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { frontDoor, patch, patchGroup, scriptedUpstream } from './proxy-setup.ts'

const upstream = scriptedUpstream()
let dynamoDb: Served

beforeEach(async () => {
  dynamoDb = await startDynamoDb({ table: 'state' })
})
afterEach(async () => {
  vi.useRealTimers()
  await dynamoDb.close()
})

function door({ timeoutSeconds = 5, host = upstream.host() } = {}) {
  const store = createAnswerStore(
    'state',
    new DynamoDBClient({ ...clientSettings, endpoint: dynamoDb.endpoint, maxAttempts: 1 }),
  )
  return frontDoor({
    baseUrl: `http://${host}`,
    timeoutSeconds,
    withIdempotency: (key, perform) => once(store, key, perform),
  })
}

const anna = { iam: { userArn: 'arn:aws:iam::1:user/anna' } }
const json = { 'content-type': 'application/json' }
const keyed = (key: string, more: Partial<ProxyEvent> = {}, authorizer: unknown = anna): ProxyEvent => ({
  ...patch({ rawPath: '/api/rns/subscriptions/s1', ...more }),
  headers: { ...json, 'idempotency-key': key },
  requestContext: { requestId: 'r', authorizer },
})

describe('the same key again', () => {
  it('gives the first answer again, byte for byte, and sends nothing', async () => {
    upstream.respond = (response) => {
      response.writeHead(202, { 'content-type': 'application/octet-stream', 'x-secret': '1' })
      response.end(Buffer.from([0, 255, 1, 254]))
    }
    const call = door()
    const first = await call(keyed('k1'))
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    const second = await call(keyed('k1'))
    expect(second).toMatchObject({ statusCode: 202, bytes: Buffer.from([0, 255, 1, 254]) })
    expect(second.headers).toEqual({ ...first.headers, 'idempotency-replayed': 'true' })
    expect(upstream.received).toHaveLength(1)
  })

  it('gives it in the form that this caller takes', async () => {
    const answer = '{"done":"é"}'.repeat(200)
    upstream.respond = (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(answer))
    const call = door()
    const asked = (accept: string) => ({
      ...keyed('k1'),
      headers: { ...keyed('k1').headers, 'accept-encoding': accept },
    })
    const first = await call(asked('gzip'))
    expect(first.headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(gunzipSync(first.bytes).toString()).toBe(answer)
    const second = await call(asked('identity'))
    expect(second.headers).toEqual({ 'idempotency-replayed': 'true', vary: 'accept-encoding' })
    expect(second.bytes.toString()).toBe(answer)
    expect(upstream.received).toHaveLength(1)
  })

  it('is the same quoted or bare', async () => {
    const call = door()
    await call(keyed('"k1"'))
    expect((await call(keyed('k1'))).headers).toMatchObject({ 'idempotency-replayed': 'true' })
  })

  it.each([400, 404, 409, 422, 500, 502, 504])('keeps an answer %i', async (status) => {
    upstream.respond = (response) => response.writeHead(status).end('no')
    const call = door()
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
  ])('with %s is a 422', async (_, more) => {
    const group = (change: Partial<ProxyEvent>) => ({
      ...keyed('k1'),
      ...patchGroup(),
      headers: keyed('k1').headers,
      ...change,
    })
    const call = door()
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
  ])('is another one of %s', async (_, other) => {
    const call = door()
    await call(keyed('k1'))
    const second = await call(other)
    expect(second.statusCode).toBe(200)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    expect(upstream.received).toHaveLength(2)
  })

  it('is the same of another session of a role', async () => {
    const session = (name: string) => ({ iam: { userArn: `arn:aws:sts::1:assumed-role/shop/${name}` } })
    const call = door()
    await call(keyed('k1', {}, session('one')))
    expect((await call(keyed('k1', {}, session('two')))).headers).toMatchObject({
      'idempotency-replayed': 'true',
    })
  })

  it('is free again after 24 hours', async () => {
    const call = door()
    await call(keyed('k1'))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3600_000 + 2000 })
    expect((await call(keyed('k1'))).headers).not.toHaveProperty('idempotency-replayed')
  })
})

describe('while nobody knows', () => {
  it('a request that is still running is a 409', async () => {
    const call = door()
    let release = () => {}
    upstream.respond = (response) => {
      release = () => response.end('{"done":true}')
    }
    const first = call(keyed('k1'))
    await vi.waitFor(() => expect(upstream.received).toHaveLength(1))
    const second = await call(keyed('k1'))
    expect(second).toMatchObject({ statusCode: 409 })
    expect(second.problem().type).toBe('urn:longshore:problem:idempotency-key-running')
    release()
    expect((await first).bytes.toString()).toBe('{"done":true}')
    expect((await call(keyed('k1'))).bytes.toString()).toBe('{"done":true}')
    expect(upstream.received).toHaveLength(1)
  })

  it('of many at once only one is sent', async () => {
    let release = () => {}
    upstream.respond = (response) => {
      release = () => response.end('{}')
    }
    const call = door()
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
    ['that was cut off', (response: { destroy(): void }) => response.destroy(), 502],
  ])('a request %s stays unknown until another key is chosen', async (_, respond, status) => {
    upstream.respond = respond as never
    const call = door({ timeoutSeconds: 1 })
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

  it('a function that died leaves an unknown outcome', async () => {
    const store = createAnswerStore(
      'state',
      new DynamoDBClient({ ...clientSettings, endpoint: dynamoDb.endpoint }),
    )
    const call = frontDoor({
      baseUrl: `http://${upstream.host()}`,
      withIdempotency: (key, perform) => once({ ...store, change: async () => {} }, key, perform),
    })
    await call(keyed('k1'))
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-key-running')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 })
    expect((await call(keyed('k1'))).problem().type).toContain('idempotency-outcome-unknown')
  })
})

describe('a key is free again', () => {
  it.each([401, 403, 503])('after an answer %i, which says that nothing was done', async (status) => {
    upstream.respond = (response) => response.writeHead(status).end()
    const call = door()
    expect((await call(keyed('k1'))).statusCode).toBe(status)
    upstream.respond = (response) => response.end('{}')
    const second = await call(keyed('k1'))
    expect(second.statusCode).toBe(200)
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('after a 429 that outlasted the repeats', async () => {
    upstream.respond = (response) => response.writeHead(429, { 'retry-after': '60' }).end()
    const call = door()
    expect((await call(keyed('k1'))).statusCode).toBe(429)
    upstream.respond = (response) => response.end('{}')
    expect((await call(keyed('k1'))).statusCode).toBe(200)
  })

  it('when nothing was sent', async () => {
    expect((await door({ host: '127.0.0.1:9', timeoutSeconds: 1 })(keyed('k1'))).statusCode).toBe(502)
    expect((await door()(keyed('k1'))).statusCode).toBe(200)
  })

  it('when the request was refused before it was sent', async () => {
    const call = door()
    expect((await call(keyed('k1', { body: '[]' }))).statusCode).toBe(400)
    expect((await call(keyed('k1'))).statusCode).toBe(200)
  })
})

it.each(['', ' ', '"', '"a', 'a"b', 'ü', 'x'.repeat(256)])('refuses the key %j', async (key) => {
  const result = await door()(keyed(key))
  expect(result.statusCode).toBe(400)
  expect(result.problem().detail).toContain('Idempotency-Key')
  expect(upstream.received).toHaveLength(0)
})

it('sends nothing when keys cannot be kept', async () => {
  const call = door()
  await dynamoDb.close()
  expect((await call(keyed('k1'))).statusCode).toBe(500)
  expect(upstream.received).toHaveLength(0)
  dynamoDb = await startDynamoDb()
})
