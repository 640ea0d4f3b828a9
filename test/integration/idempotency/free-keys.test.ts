import { describe, expect, it } from 'vitest'
import { withIdempotency } from '../../../functions/proxy/idempotency/with-idempotency.ts'
import { testProxy } from '../proxy-setup.ts'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy, responseStore } = useKeyedProxy()

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
