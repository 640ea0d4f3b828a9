import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runsToTry } from '../case-count.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const url = () => `http://${upstream.host()}`
const call = proxyBehindGateway({ url })
const lenient = proxyBehindGateway({ url, validation: 'structure' })

const group = '/api/rns/subscriptions-group/g1'
const subscription = '/api/rns/subscriptions/s1'
const patch = (body: string) =>
  ({ method: 'PATCH', headers: { 'content-type': 'application/json' }, body }) as const

test('a field of the wrong type is refused with its pointer and the expected type, and nothing is sent', async () => {
  const response = await call(group, patch('{"item":[{"quantity":"2"}],"isSkipped":"no","other":1}'))
  expect(response.status).toBe(400)
  expect(response.headers['content-type']).toBe('application/problem+json')
  expect(response.json()).toMatchObject({
    type: 'urn:longshore:problem:invalid-request',
    pointer: '/item/0/quantity',
    errors: [
      { pointer: '/item/0/quantity', expected: 'an integer or null' },
      { pointer: '/isSkipped', expected: 'true or false or null' },
    ],
  })
  expect(upstream.received).toHaveLength(0)
})

test('validation: structure checks item only', async () => {
  expect((await lenient(group, patch('{"item":[{"quantity":"2"}]}'))).status).toBe(200)
  expect((await lenient(group, patch('{"item":{}}'))).status).toBe(400)
  expect(upstream.received).toHaveLength(1)
})

describe('the body is forwarded byte for byte', () => {
  test.each([
    ['repeated keys', '{"status":"A","status":"B","item":{"quantity":1,"quantity":2}}'],
    ['numbers beyond a double', '{"item":{"quantity":12345678901234567890123},"x":1.10e-400}'],
    ['white space and the order of keys', '\r\n { "z" : 1 ,\t"a":\n2 } '],
    ['escapes', '{"status":"\\u00e9é\\/\\ud83d\\ude9a\\ud800"}'],
    ['nulls and unknown members', '{"plan":null,"__proto__":{"a":1},"extra":[[[]]]}'],
  ])('with %s', async (_, body) => {
    expect((await call(subscription, patch(body))).status).toBe(200)
    expect(upstream.received[0]?.body.toString()).toBe(body)
  })

  test('for any valid body', async () => {
    const body = fc
      .record({ status: fc.string({ unit: 'binary' }), other: fc.jsonValue() }, { requiredKeys: [] })
      .map((value) => JSON.stringify(value, null, 1))
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        upstream.received.length = 0
        expect((await call(subscription, patch(text))).status).toBe(200)
        expect(upstream.received[0]?.body.equals(Buffer.from(text))).toBe(true)
      }),
      { numRuns: runsToTry(50) },
    )
  })
})
