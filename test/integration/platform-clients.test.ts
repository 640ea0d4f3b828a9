import { expect, test } from 'vitest'
import { endpoints } from '../../functions/platform/endpoints.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'
import { scriptedUpstream } from './proxy-setup.ts'

const upstream = scriptedUpstream()
const url = () => `http://${upstream.host()}`
const call = proxyBehindGateway({ url, account: 'shop' })
const callWithoutAccount = proxyBehindGateway({ url })

const rows = endpoints.map(({ name, method, path, body }) => ({
  name,
  path: path.replace(/\{\w+\}/, 'x'),
  request:
    body === 'none'
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: '{"isSkipped":true}' },
}))

test.each(rows)(
  'the account that is configured is accepted, and is sent to the group only: $name',
  async ({ name, path, request }) => {
    expect((await call(`${path}?an=shop`, request)).status).toBe(200)
    expect(upstream.received.map((received) => received.url)).toEqual([
      name === 'update-subscription-group' ? `${path}?an=shop` : path,
    ])
  },
)

test.each(rows)('another account is refused, and nothing is sent: $name', async ({ path, request }) => {
  const response = await call(`${path}?an=another`, request)
  expect(response.status).toBe(400)
  expect(response.headers['content-type']).toBe('application/problem+json')
  expect(response.json()).toMatchObject({ parameter: 'an' })
  expect(response.json().detail).toContain('upstream.account')
  expect((await call(`${path}?an=shop&an=shop`, request)).status).toBe(400)
  expect(upstream.received).toHaveLength(0)
})

test.each(rows.filter(({ name }) => name !== 'update-subscription-group'))(
  'without a configured account, no account is accepted: $name',
  async ({ path, request }) => {
    const response = await callWithoutAccount(`${path}?an=any`, request)
    expect(response.status).toBe(400)
    expect(response.json().detail).toContain('upstream.account is not set')
    expect(upstream.received).toHaveLength(0)
  },
)

test('without a configured account, any account is sent with the update of a group', async () => {
  const headers = { 'content-type': 'application/json' }
  const path = '/api/rns/subscriptions-group/g1?an=any'
  expect((await callWithoutAccount(path, { method: 'PATCH', headers, body: '{}' })).status).toBe(200)
  expect(upstream.received.map((received) => received.url)).toEqual([path])
})

test('a scroll may repeat _size with _token: it is not sent, and the response has a warning', async () => {
  const scroll = '/api/dataentities/CL/scroll'
  const response = await call(`${scroll}?an=shop&_fields=id&_size=10&_token=a%2Bb`)
  expect(response.status).toBe(200)
  expect(response.headers['longshore-warning']).toContain('_size')
  expect(upstream.received[0]?.url).toBe(`${scroll}?_fields=id&_token=a%2Bb`)
  expect((await call(`${scroll}?_size=10`)).headers).not.toHaveProperty('longshore-warning')
  expect(upstream.received[1]?.url).toBe(`${scroll}?_size=10`)
})

test('the path of a search may end with a slash, which is not sent', async () => {
  expect((await call('/api/dataentities/CL/search/?_sort=id')).status).toBe(200)
  expect(upstream.received.map((received) => received.url)).toEqual(['/api/dataentities/CL/search?_sort=id'])
})

test.each(['scroll/', 'search/x', 'search//', 'documents/1'])(
  'no other path of an entity is sent: %s',
  async (rest) => {
    const response = await call(`/api/dataentities/CL/${rest}`)
    expect([response.status, response.json().type]).toEqual([404, 'urn:longshore:problem:not-found'])
    expect(upstream.received).toHaveLength(0)
  },
)

test('a filter in brackets is refused with the right form', async () => {
  const response = await call('/api/dataentities/CL/search?filters%5Bemail%5D=a@b.c')
  expect(response.json()).toMatchObject({ status: 400, parameter: 'filters[email]' })
  expect(response.json().detail).toContain('email=VALUE')
})
