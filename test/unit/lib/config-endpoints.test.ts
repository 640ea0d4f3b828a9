import { expect, it } from 'vitest'
import { resolveConfig, settingsOf } from '../../../lib/config.ts'
import { errorsIn, upstream, withKeys } from './configurations.ts'

const path = '/api/oms/pvt/orders/{orderId}'
const withEndpoint = (keys: object) => withKeys({ endpoints: [{ path, area: 'orders', ...keys }] })
const withPaths = (...paths: string[]) =>
  withKeys({ endpoints: paths.map((each) => ({ path: each, area: 'a' })) })
const withSecrets = (credentials: object) => withKeys({ ...withEndpoint({}), credentials })
const own = { logistics: 'a', subscriptions: 'b', documents: 'c' }
const list = (count: number) => Array.from({ length: count }, (_, index) => `/api/list${index}`)

it.each<[string, object]>([
  ['a read of a path that only a PATCH has', withPaths('/api/rns/subscriptions/{id}')],
  ['a path in other letters', withPaths('/api/a.b/_c~d-e/{F_1}')],
  [
    'a path that only the greedy route of the search matches',
    withPaths('/api/dataentities/{a}/documents/{id}'),
  ],
  ['a path that is literal where another is not', withPaths('/api/a/{x}', '/api/a/b', '/api/{y}/{z}')],
  ['paths of other lengths', withPaths('/api/a/{x}', '/api/a/{x}/{y}', '/api/a')],
  ['100 endpoints', withPaths(...list(100))],
  ['names with brackets', withEndpoint({ query: ['filter[a][]'] })],
  ['any name', withEndpoint({ query: 'any' })],
  ['a header that callers receive anyway', withEndpoint({ responseHeaders: ['ETag'] })],
  ['a scope of another route', withEndpoint({ scope: 'documents:read' })],
  ['a shared secret', withSecrets({ logistics: 'a', documents: 'c' })],
  ['a secret of its own', withSecrets({ ...own, orders: 'd' })],
])('an endpoint may have %s', (_, input) => expect(errorsIn(input)).toEqual([]))

it('an endpoint has defaults', () => {
  const second = { path: '/api/a', area: 'b', responseHeaders: ['X-Total'], scope: 's' }
  const { endpoints } = settingsOf(resolveConfig({ upstream, endpoints: [{ path, area: 'orders' }, second] }))
  expect(endpoints).toEqual([
    { path, area: 'orders', query: [], responseHeaders: [], scope: 'orders:read' },
    { ...second, query: [], responseHeaders: ['x-total'] },
  ])
})

it('all errors of all endpoints are named at once', () => {
  const endpoints = [
    { path: 'GET /x', area: 'A', scope: 'syncs:run' },
    { path: '/api/a', query: ['an'] },
  ]
  const errors = errorsIn({ upstream, endpoints, credentials: { order: 'a' } })
  expect(errors.map((error) => error.split(': ')[0]).join(' ')).toBe(
    'endpoints[0].path endpoints[0].area endpoints[0].scope endpoints[1].area endpoints[1].query[0] credentials.order',
  )
})

const segment = 'has a segment that is neither letters'
/** Wrong values of each key, by what the error says about them. */
const wrong: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  path: {
    'is missing; it must be a path of the platform': [undefined],
    'is not a path of the platform': [1],
    'begins with a method; only GET is served': ['GET /api/a', 'post /api/a'],
    'contains ? or #': ['/api/a?b=c', '/api/a#b'],
    'contains a wildcard': ['/api/*', '/api/{proxy+}'],
    'does not begin with /api/': ['/a', 'api/a', '/API/a', ''],
    'ends with a slash': ['/api/', '/api/a/'],
    [segment]: [
      '/api//a',
      ...'. a/../b %41 a{b} {a}{b} {} {a-b} {1} é a	'.split(' ').map((end) => `/api/${end}`),
    ],
    'has one {name} twice': ['/api/{id}/a/{id}'],
    'matches paths of GET /api/logistics/': ['/api/logistics/pvt/configuration/DOCKS/{id}'],
    'matches paths of GET /api/dataentities/{data_entity}/s': [
      '/api/dataentities/CL/scroll',
      '/api/{a}/{b}/search',
    ],
  },
  area: {
    'is missing; it must be an area': [undefined],
    'is not an area: a lower-case word': ['Orders', '', 'or ders', '1st', 'ä'],
    'is reserved; use another word': ['all', 'syncs', 'openapi', 'constructor'],
  },
  query: { "is not 'any' or a list of names": ['all'], 'is not a list of names, such as': [{}] },
  'query[0]': {
    'is not the name of a parameter': ['', ' ', 'a\0', '\ud800'],
    'is accepted by every endpoint and not sent': ['an', 'AN', 'a n '],
    'belongs to a signature': ['x-amz-Date'],
    'carries credentials': 'X-SVC-API-AppKey x-a-api-apptoken appKey Authorization access_token'.split(' '),
  },
  responseHeaders: { 'is not a list of names of headers': ['X-A'] },
  'responseHeaders[0]': {
    'is not the name of a header': ['', 'a b', 'é', '__proto__', 'Constructor'],
    'belongs to one connection': 'Connection keep-alive TE Trailer Transfer-Encoding Upgrade'.split(' '),
    'carries cookies': ['Set-Cookie'],
    'carries credentials': 'WWW-Authenticate Proxy-Authorization X-SVC-API-AppToken'.split(' '),
    'is set by API Gateway': ['Content-Length', 'Access-Control-Allow-Origin', 'x-amzn-requestid'],
    'leads to the platform': ['location'],
    "is Longshore's own": 'Link Vary Cache-Control Longshore-Warning Idempotency-Replayed Allow'.split(' '),
  },
  scope: {
    "is the scope of Longshore's own routes": ['subscriptions:write', 'syncs:read', 'syncs:run'],
    "is not a scope, such as 'orders:read'": ['a b', '', 'x'.repeat(65)],
  },
}

it.each(
  Object.entries(wrong).flatMap(([key, errors]) =>
    Object.entries(errors).flatMap(([error, values]) => values.map((value) => [key, error, value] as const)),
  ),
)('%s %s: %j', (key, error, value) => {
  const [name = '', item] = key.split('[')
  const [found, ...others] = errorsIn(withEndpoint({ [name]: item ? [value] : value }))
  expect([found?.startsWith(`endpoints[0].${key}: `), others]).toEqual([true, []])
  expect(found).toContain(error)
})

it.each<[object, string]>([
  [withKeys({ endpoints: {} }), "endpoints: an object is not a list of endpoints, such as [{ path: '"],
  [withPaths(...list(101)), 'endpoints: has 101 endpoints; at most 100'],
  [withEndpoint({ method: 'POST' }), 'endpoints[0].method: unknown key. The valid keys are path, area'],
  [withEndpoint({ querys: [] }), "endpoints[0].querys: unknown key. Did you mean 'query'?"],
  [withEndpoint({ query: ['a', 'a'] }), "endpoints[0].query[1]: 'a' is already in the list"],
  [
    withPaths('/api/a/{x}', '/api/A/{y}'),
    "endpoints[1].path: '/api/A/{y}' and endpoints[0] match the same paths",
  ],
  [withPaths('/api/a/b', '/api/c', '/api/A/b'), "endpoints[2].path: '/api/A/b' and endpoints[0] match"],
  [withPaths('/api/{x}/b', '/api/a/{y}'), "endpoints[1].path: '/api/a/{y}' and endpoints[0] match"],
  [withSecrets(own), "endpoints[0].area: 'orders' has no secret, and the areas logistics"],
  [withSecrets({ order: 'a' }), "credentials.order: unknown key. Did you mean 'orders'?"],
  [withSecrets({ orders: 'a b' }), 'credentials.orders: is not the name or ARN'],
])('%j: %s', (input, error) => {
  const [found, ...others] = errorsIn(input)
  expect([found?.slice(0, error.length), others]).toEqual([error, []])
})
