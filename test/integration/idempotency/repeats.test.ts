import { gunzipSync, gzipSync } from 'node:zlib'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import type { ProxyEvent } from '../../../functions/proxy/proxy.ts'
import { patchGroup } from '../proxy-setup.ts'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy, dynamodb } = useKeyedProxy()

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

  it('returns the first response without the credentials that the platform echoed', async () => {
    upstream.respond = (response) => response.writeHead(422).end('the-app-token is not allowed')
    const call = proxy()
    expect((await call(keyed('k1'))).body).toBe('[redacted] is not allowed')
    expect((await call(keyed('k1'))).body).toBe('[redacted] is not allowed')
    const { Items = [] } = await dynamodb().send(new ScanCommand({ TableName: 'state' }))
    const [item] = Items
    expect(String(gunzipSync(item?.['response']?.B ?? Buffer.alloc(0)))).toContain('[redacted]')
  })
})
