import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const call = proxyBehindGateway({ url: () => `http://${upstream.host()}` })

const path = '/api/dataentities/CL/search?_sort=id'
const accepting = (accept: string) => ({ headers: { 'accept-encoding': accept } })
const documents = Buffer.from(
  JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, "it's": 'é"\\' }))),
)
const respondWith = (body: Buffer, headers = {}) => {
  upstream.respond = (response) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)
}

test('a plain response is compressed for a caller that accepts gzip', async () => {
  respondWith(documents)
  const packed = await call(path, accepting('br, gzip;q=0.9'))
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
    'content-type': 'application/json',
    'content-length': String(packed.body.length),
  })
  expect(packed.body.length).toBeLessThan(documents.length / 3)
  expect(gunzipSync(packed.body)).toEqual(documents)
  expect(upstream.received[0]?.headers['accept-encoding']).toBe('br, gzip;q=0.9')
})

test('a plain response stays plain for a caller that does not accept gzip', async () => {
  respondWith(documents)
  for (const given of [{}, accepting('identity'), accepting('gzip;q=0')]) {
    const plain = await call(path, given)
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.body).toEqual(documents)
  }
})

test('a compressed response is unchanged for a caller that accepts its coding, and decoded for others', async () => {
  const packed = brotliCompressSync(documents)
  respondWith(packed, { 'content-encoding': 'br' })
  const kept = await call(path, accepting('br'))
  expect(kept.headers['content-encoding']).toBe('br')
  expect(kept.body).toEqual(packed)
  const plain = await call(path)
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(plain.body).toEqual(documents)
})

test('a decompression bomb is a problem, and the next request is served', async () => {
  respondWith(gzipSync(Buffer.alloc(100_000_000)), { 'content-encoding': 'gzip' })
  const refused = await call(path)
  expect(refused.json()).toMatchObject({ status: 502, type: 'urn:longshore:problem:response-too-large' })
  respondWith(documents)
  expect((await call(path)).status).toBe(200)
})

test('a long problem is compressed too', async () => {
  const body = JSON.stringify({ item: Array.from({ length: 50 }, () => 1) })
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  const refused = await call('/api/rns/subscriptions-group/1', { method: 'PATCH', headers, body })
  expect(refused.status).toBe(400)
  expect(refused.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'application/problem+json',
  })
  expect(JSON.parse(gunzipSync(refused.body).toString()).errors).toHaveLength(50)
})
