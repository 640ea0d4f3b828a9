import { describe, expect, it } from 'vitest'
import { resolveConfig, settingsOf } from '../../../lib/config.ts'
import { beginningsOf, errorsIn, upstream, withKeys } from './configurations.ts'

const path = '/api/oms/pvt/orders/{orderId}'
const withEndpoint = (keys: object) => withKeys({ endpoints: [{ path, area: 'orders', ...keys }] })
const withPath = (written: unknown) => withEndpoint({ path: written })
const withPaths = (...paths: string[]) =>
  withKeys({ endpoints: paths.map((each) => ({ path: each, area: 'a' })) })
const withHeader = (name: unknown) => withEndpoint({ responseHeaders: [name] })
const withQuery = (name: unknown) => withEndpoint({ query: [name] })
const own = { logistics: 'a', subscriptions: 'b', documents: 'c' }
const list = (count: number) => Array.from({ length: count }, (_, index) => `/api/list${index}`)

describe('resolveConfig accepts', () => {
  it.each<[string, object]>([
    ['a read of a path that only a PATCH has', withPath('/api/rns/subscriptions/{id}')],
    ['a path in other letters', withPath('/api/a.b/_c~d-e/{F_1}')],
    [
      'a path that only the greedy route of the search matches',
      withPath('/api/dataentities/{acronym}/documents/{id}'),
    ],
    ['a path that is literal where another is not', withPaths('/api/a/{x}', '/api/a/b', '/api/{y}/{z}')],
    ['paths of other lengths', withPaths('/api/a/{x}', '/api/a/{x}/{y}', '/api/a')],
    ['100 endpoints', withPaths(...list(100))],
    ['names with brackets', withQuery('filter[a][]')],
    ['any name', withEndpoint({ query: 'any' })],
    ['a header that always goes down', withHeader('ETag')],
    ['a scope of another route', withEndpoint({ scope: 'documents:read' })],
    ['a shared secret', withKeys({ ...withEndpoint({}), credentials: { logistics: 'a', documents: 'c' } })],
    ['a secret of its own', withKeys({ ...withEndpoint({}), credentials: { ...own, orders: 'd' } })],
  ])('%s', (_, input) => expect(errorsIn(input)).toEqual([]))
})

it('fills in the defaults of an endpoint', () => {
  const endpoints = [
    { path, area: 'orders' },
    { path: '/api/a', area: 'b', responseHeaders: ['X-Total'], scope: 's' },
  ]
  expect(settingsOf(resolveConfig({ upstream, endpoints })).endpoints).toEqual([
    { path, area: 'orders', query: [], responseHeaders: [], scope: 'orders:read' },
    { path: '/api/a', area: 'b', query: [], responseHeaders: ['x-total'], scope: 's' },
  ])
})

it('names every error of all endpoints at once', () => {
  const endpoints = [
    { path: 'GET /x', area: 'A', scope: 'syncs:run' },
    { path: '/api/a', query: ['an'] },
  ]
  expect(
    errorsIn({ upstream, endpoints, credentials: { order: 'a' } }).map((error) => error.split(': ')[0]),
  ).toEqual([
    'endpoints[0].path',
    'endpoints[0].area',
    'endpoints[0].scope',
    'endpoints[1].area',
    'endpoints[1].query[0]',
    'credentials.order',
  ])
})

describe('resolveConfig names each error and a correct value', () => {
  it.each<[unknown, string]>([
    [withKeys({ endpoints: {} }), "endpoints: an object is not a list of endpoints, such as [{ path: '"],
    [withPaths(...list(101)), 'endpoints: has 101 endpoints; at most 100'],
    [withEndpoint({ method: 'POST' }), 'endpoints[0].method: unknown key. The valid keys are path, area'],
    [withEndpoint({ querys: [] }), "endpoints[0].querys: unknown key. Did you mean 'query'?"],
    // path
    [withPath(undefined), "endpoints[0].path: is missing; it must be a path of the platform, such as '/api/"],
    [withPath(1), 'endpoints[0].path: 1 is not a path of the platform'],
    [withPath('GET /api/a'), "endpoints[0].path: 'GET /api/a' begins with a method; only GET"],
    [withPath('/api/a?b=c'), "endpoints[0].path: '/api/a?b=c' contains ? or #; write"],
    [withPath('/api/*'), "endpoints[0].path: '/api/*' contains a wildcard"],
    [withPath('/api/{proxy+}'), "endpoints[0].path: '/api/{proxy+}' contains a wildcard"],
    [withPath('/a'), "endpoints[0].path: '/a' does not begin with /api/; use"],
    [withPath('api/a'), "endpoints[0].path: 'api/a' does not begin with /api/"],
    [withPath('/API/a'), "endpoints[0].path: '/API/a' does not begin with /api/"],
    [withPath('/api/'), "endpoints[0].path: '/api/' ends with a slash; remove it"],
    ...[
      '//a',
      '/.',
      '/a/../b',
      '/%41',
      '/a{b}',
      '/{a}{b}',
      '/{}',
      '/{a b}',
      '/{1}',
      '/é',
      '/a b',
      '/a\n',
      '/{a-b}',
    ].map((end): [object, string] => [withPath(`/api/x${end}`), "endpoints[0].path: '/api/x"]),
    [withPath('/api/{id}/a/{id}'), "endpoints[0].path: '/api/{id}/a/{id}' has one {name} twice"],
    // two endpoints for one path
    [
      withPath('/api/logistics/pvt/configuration/DOCKS/{id}'),
      "endpoints[0].path: '/api/logistics/pvt/configuration/DOCKS/{id}' matches paths of GET /api/logistics/pvt/configuration/docks/{dockId}",
    ],
    [
      withPath('/api/dataentities/CL/scroll'),
      "endpoints[0].path: '/api/dataentities/CL/scroll' matches paths of GET",
    ],
    [withPath('/api/{a}/{b}/{c}'), "endpoints[0].path: '/api/{a}/{b}/{c}' matches paths of GET"],
    [
      withPaths('/api/a/{x}', '/api/A/{y}'),
      "endpoints[1].path: '/api/A/{y}' and endpoints[0] match the same paths",
    ],
    [withPaths('/api/a/b', '/api/c', '/api/A/b'), "endpoints[2].path: '/api/A/b' and endpoints[0] match"],
    [withPaths('/api/{x}/b', '/api/a/{y}'), "endpoints[1].path: '/api/a/{y}' and endpoints[0] match"],
    // area
    [
      withEndpoint({ area: undefined }),
      'endpoints[0].area: is missing; it must be an area: a lower-case word',
    ],
    ...['Orders', '', 'or ders', '1st', 'ä'].map((area): [object, string] => [
      withEndpoint({ area }),
      `endpoints[0].area: '${area}' is not an area: a lower-case word, such as 'orders'`,
    ]),
    ...['all', 'syncs', 'openapi', 'constructor'].map((area): [object, string] => [
      withEndpoint({ area, scope: 'a' }),
      `endpoints[0].area: '${area}' is reserved`,
    ]),
    // query
    [withEndpoint({ query: 'all' }), "endpoints[0].query: 'all' is not 'any' or a list of names"],
    [
      withEndpoint({ query: {} }),
      "endpoints[0].query: an object is not a list of names, such as ['status'], or 'any'",
    ],
    [withEndpoint({ query: ['a', 'a'] }), "endpoints[0].query[1]: 'a' is already in the list"],
    [withQuery(''), "endpoints[0].query[0]: '' is not the name of a parameter"],
    [withQuery('a\0'), "endpoints[0].query[0]: 'a\\u0000' is not the name of a parameter"],
    ...['an', 'AN', 'a n '].map((name): [object, string] => [
      withQuery(name),
      `endpoints[0].query[0]: '${name}' is accepted by every endpoint and not sent`,
    ]),
    [withQuery('x-amz-Date'), "endpoints[0].query[0]: 'x-amz-Date' belongs to a signature"],
    ...[
      'X-SVC-API-AppKey',
      'x-shop-api-apptoken',
      'appKey',
      'app_token',
      'Authorization',
      'access_token',
    ].map((name): [object, string] => [
      withQuery(name),
      `endpoints[0].query[0]: '${name}' carries credentials`,
    ]),
    // responseHeaders
    [
      withEndpoint({ responseHeaders: 'X-A' }),
      "endpoints[0].responseHeaders: 'X-A' is not a list of names of headers",
    ],
    ...['', 'a b', 'é', '__proto__', 'Constructor'].map((name): [object, string] => [
      withHeader(name),
      `endpoints[0].responseHeaders[0]: '${name}' is not the name of a header`,
    ]),
    ...['Connection', 'keep-alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'].map(
      (name): [object, string] => [
        withHeader(name),
        `endpoints[0].responseHeaders[0]: '${name}' belongs to one connection`,
      ],
    ),
    [withHeader('Set-Cookie'), "endpoints[0].responseHeaders[0]: 'Set-Cookie' carries cookies"],
    ...['WWW-Authenticate', 'Proxy-Authorization', 'X-SVC-API-AppToken'].map((name): [object, string] => [
      withHeader(name),
      `endpoints[0].responseHeaders[0]: '${name}' carries credentials`,
    ]),
    ...['Content-Length', 'Access-Control-Allow-Origin', 'x-amzn-requestid'].map((name): [object, string] => [
      withHeader(name),
      `endpoints[0].responseHeaders[0]: '${name}' is set by API Gateway`,
    ]),
    [withHeader('location'), "endpoints[0].responseHeaders[0]: 'location' leads to the platform"],
    ...['Link', 'Vary', 'Cache-Control', 'Longshore-Warning', 'Idempotency-Replayed'].map(
      (name): [object, string] => [
        withHeader(name),
        `endpoints[0].responseHeaders[0]: '${name}' is Longshore's own`,
      ],
    ),
    // scope
    ...['subscriptions:write', 'syncs:read', 'syncs:run'].map((scope): [object, string] => [
      withEndpoint({ scope }),
      `endpoints[0].scope: '${scope}' is the scope of Longshore's own routes`,
    ]),
    [withEndpoint({ scope: 'a b' }), "endpoints[0].scope: 'a b' is not a scope, such as 'orders:read'"],
    // credentials
    [
      withKeys({ ...withEndpoint({}), credentials: own }),
      "endpoints[0].area: 'orders' has no secret, and the areas logistics",
    ],
    [
      withKeys({ ...withEndpoint({}), credentials: { order: 'a' } }),
      "credentials.order: unknown key. Did you mean 'orders'?",
    ],
    [
      withKeys({ ...withEndpoint({}), credentials: { orders: 'a b' } }),
      'credentials.orders: is not the name or ARN',
    ],
  ])('%j: %s', (input, error) => expect(beginningsOf(errorsIn(input), error)).toEqual([error]))
})
