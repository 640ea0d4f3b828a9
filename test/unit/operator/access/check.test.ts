import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { areas, areasWith } from '../../../../functions/platform/areas.ts'
import { cacheCredentials } from '../../../../functions/upstream/credential-cache.ts'
import { CredentialsError } from '../../../../functions/upstream/exchange.ts'
import { makeDocuments } from '../../../../local/stand-in/documents.ts'
import { localCredentials, type Platform, startPlatform } from '../../../../local/stand-in/platform.ts'
import { areasOfSecret, checkCredentials, reachPlatform } from '../../../../operator/access/check.ts'
import { entityNamed } from '../../../entity-named.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ documents: { 'C L': makeDocuments(5) } })
})
afterEach(() => platform.faults.clear())
afterAll(() => platform.close())

const orders = '/api/oms/orders'
const endpoints = [
  { path: `${orders}/{orderId}/items/{itemId}`, area: 'orders' },
  { path: orders, area: 'orders' },
  { path: '/api/rns/subscriptions/{id}', area: 'subscriptions' },
]

const settings = (names: readonly string[], baseUrl = platform.url, configured: typeof endpoints = []) =>
  ({
    upstream: {
      baseUrl,
      headerPrefix: 'X-SVC',
      searchPath: '/api/dataentities/{data_entity}/search',
      timeoutSeconds: 25,
    },
    endpoints: configured,
    entities: names.map((name) => entityNamed(name, { idField: 'id' })),
  }) as never

const credentials = (value: string) =>
  cacheCredentials({
    secretIds: Object.fromEntries(areasWith(endpoints).map((area) => [area, 's'])),
    read: async () => ({ value, version: '1' }),
  })
const right = credentials(JSON.stringify(localCredentials))
const wrong = credentials(JSON.stringify({ appKey: 'a', appToken: 'b' }))

describe('the check of credentials', () => {
  it('calls the platform once for each area that has a call without side effects', async () => {
    platform.requests.splice(0)
    expect(await checkCredentials(settings(['C L']), areas, right)).toEqual([
      { area: 'logistics', outcome: 'accepted', detail: 'reading a dock returned 404' },
      { area: 'subscriptions', outcome: 'not-checked', detail: 'every call of this area changes data' },
      { area: 'documents', outcome: 'accepted', detail: 'searching C L returned 200' },
    ])
    const json = { accept: 'application/json', 'content-type': 'application/json' }
    expect(platform.requests.toSorted((one, other) => one.kind.localeCompare(other.kind))).toMatchObject([
      { kind: 'dock', url: expect.stringMatching(/\/longshore-check$/), headers: json },
      {
        kind: 'search',
        url: '/api/dataentities/C%20L/search?_fields=id',
        headers: { ...json, 'rest-range': 'resources=0-1' },
      },
    ])
  })

  it('reports what the platform rejects', async () => {
    expect(await checkCredentials(settings(['C L']), ['logistics', 'documents'], wrong)).toMatchObject([
      { outcome: 'rejected', detail: expect.stringMatching(/^reading a dock returned 40[13]$/) },
      { outcome: 'rejected', detail: expect.stringMatching(/^searching C L returned 40[13]$/) },
    ])
  })

  it.each<[number, string, { headers: Record<string, string>; body?: string }?]>([
    [200, 'accepted'],
    [206, 'accepted'],
    [404, 'accepted'],
    [401, 'rejected'],
    [403, 'rejected'],
    [302, 'inconclusive'],
    [403, 'inconclusive', { headers: { 'X-RateLimit-Remaining': '0' } }],
    [401, 'inconclusive', { headers: { 'Content-Type': 'text/html' }, body: 'Log in' }],
    [429, 'inconclusive'],
    [500, 'inconclusive'],
  ])('reads status %i as %s with %j', async (status, outcome, sent) => {
    platform.faults.add({ match: () => true, fault: { kind: 'status', status, body: '{}', ...sent } })
    const [check] = await checkCredentials(settings([]), ['logistics'], right)
    expect(check?.outcome).toBe(outcome)
  })

  it.each([
    ['orders', 404, 'accepted', `${orders}/longshore-check/items/longshore-check`],
    ['orders', 403, 'rejected', `${orders}/longshore-check/items/longshore-check`],
    ['subscriptions', 400, 'not-checked', '/api/rns/subscriptions/longshore-check'],
    ['subscriptions', 500, 'not-checked', '/api/rns/subscriptions/longshore-check'],
  ])(
    'reads the first endpoint of the area %s, and takes status %i as %s',
    async (area, ...[status, outcome, url]) => {
      platform.requests.splice(0)
      platform.faults.add({ match: () => true, fault: { kind: 'status', status, body: '{}' } })
      const [check] = await checkCredentials(settings([], platform.url, endpoints), [area], right)
      const path = endpoints.find((endpoint) => endpoint.area === area)?.path
      expect(check).toEqual({ area, outcome, detail: `GET ${path} returned ${status}` })
      expect(platform.requests).toMatchObject([{ url }])
    },
  )

  it('has no call for documents if no entity is configured', async () => {
    expect(await checkCredentials(settings([]), ['documents'], right)).toEqual([
      { area: 'documents', outcome: 'not-checked', detail: 'no entity is configured' },
    ])
  })

  it('is inconclusive if the platform cannot be reached', async () => {
    const [check] = await checkCredentials(settings([], 'http://127.0.0.1:9'), ['logistics'], right)
    expect(check).toEqual({
      area: 'logistics',
      outcome: 'inconclusive',
      detail: 'connection refused by 127.0.0.1:9',
    })
  })

  it('fails if the credentials cannot be used', async () => {
    await expect(checkCredentials(settings([]), ['logistics'], credentials('{}'))).rejects.toThrow(
      CredentialsError,
    )
  })
})

it.each([
  ['responds', () => platform.url, { status: expect.any(Number) }],
  ['cannot be reached', () => 'http://127.0.0.1:9', { failure: 'connection refused by 127.0.0.1:9' }],
])('a platform that %s without credentials is reachable or not', async (_, url, expected) => {
  expect(await reachPlatform(settings([], url()))).toEqual(expected)
})

it('a secret serves the areas that it is configured for', () => {
  const secretIds = { logistics: 'a', subscriptions: 'b', documents: 'a' }
  expect(areasOfSecret(secretIds, 'a')).toEqual({ areas: ['logistics', 'documents'], isAll: false })
  expect(areasOfSecret({ orders: 'a' }, 'a')).toEqual({ areas: ['orders'], isAll: true })
  expect(areasOfSecret(secretIds, 'c').areas).toEqual([])
})
