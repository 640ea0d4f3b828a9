import { describe, expect, it } from 'vitest'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy } = useKeyedProxy()

describe('while the outcome is unknown', () => {
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

  it('a response that cannot be relayed is a 409', async () => {
    const damaged = Buffer.from([0x1f, 0x8b, 0])
    upstream.respond = (response) => response.writeHead(400, { 'content-encoding': 'gzip' }).end(damaged)
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
})
