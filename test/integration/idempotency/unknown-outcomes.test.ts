import { describe, expect, it, vi } from 'vitest'
import { withIdempotency } from '../../../functions/proxy/idempotency/with-idempotency.ts'
import { testProxy } from '../proxy-setup.ts'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy, responseStore } = useKeyedProxy()

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
    'an update that is applied and has the response %i is sent only once',
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

  it('a request whose function crashed is a 409', async () => {
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
