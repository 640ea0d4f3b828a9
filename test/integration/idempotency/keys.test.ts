import { describe, expect, it } from 'vitest'
import { keyed, useKeyedProxy } from './keyed-requests.ts'

const { upstream, proxy, whileUnavailable } = useKeyedProxy()

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

it.each(['', ' ', '"', '"a', 'a"b', 'ü', 'x'.repeat(256)])('refuses the key %j', async (key) => {
  const result = await proxy()(keyed(key))
  expect(result.statusCode).toBe(400)
  expect(result.problem().detail).toContain('Idempotency-Key')
  expect(upstream.received).toHaveLength(0)
})

it('sends nothing if the key cannot be stored', async () => {
  const call = proxy()
  await whileUnavailable(async () => {
    expect((await call(keyed('k1'))).statusCode).toBe(500)
    expect(upstream.received).toHaveLength(0)
  })
})
