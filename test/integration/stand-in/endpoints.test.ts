import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { localCredentials, type Platform, startPlatform } from '../../../local/stand-in/platform.ts'
import { endpoints } from '../../endpoints.ts'

let platform: Platform
beforeAll(async () => {
  const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' }, endpoints })
  platform = await startPlatform({
    endpoints: configuration.endpoints,
    subscriptions: { s1: { status: 'ACTIVE' } },
  })
})
afterAll(() => platform.close())

const { appKey, appToken } = localCredentials
const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(platform.url + path, {
    headers: { 'X-SVC-API-AppKey': appKey, 'X-SVC-API-AppToken': appToken, ...headers },
  })

it.each([
  ['/api/rns/subscriptions/s1', 200, { status: 'ACTIVE' }],
  ['/api/rns/subscriptions/s2', 404, { code: 404, message: 's2 not found' }],
  ['/api/oms/pvt/orders/1/payments/2', 200, { name: '1' }],
  ['/api/oms/pvt/orders/feed?a=1', 200, { endpoint: '/api/oms/pvt/orders/feed', query: [['a', '1']] }],
])('the stand-in responds to GET %s with %i', async (path, status, body) => {
  const response = await read(path)
  expect([response.status, await response.json()]).toMatchObject([status, body])
})

it('the stand-in sends the headers of a configured endpoint, and 304 to a known ETag', async () => {
  const { headers } = await read('/api/oms/pvt/orders')
  expect([headers.get('x-page'), headers.get('x-total-count')]).toEqual(['1', '1'])
  expect((await read('/api/oms/pvt/orders', { 'If-None-Match': headers.get('etag') ?? '' })).status).toBe(304)
  expect((await read('/api/oms/pvt/orders', { 'X-SVC-API-AppKey': 'x' })).status).toBe(401)
})
