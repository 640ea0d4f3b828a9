import { describe, expect, it } from 'vitest'
import { withIdempotency } from '../../../functions/proxy/idempotency/with-idempotency.ts'
import { testProxy } from '../proxy-setup.ts'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy, responseStore, whileUnavailable } = useKeyedProxy()

describe('a key is free again', () => {
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

it('sends nothing if the key cannot be stored', async () => {
  const call = proxy()
  await whileUnavailable(async () => {
    expect((await call(keyed('k1'))).statusCode).toBe(500)
    expect(upstream.received).toHaveLength(0)
  })
})
