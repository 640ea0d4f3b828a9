import { beforeAll, describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { type Bundle, permissions, synthesize } from './synthesize.ts'

let byIam: Bundle
let byJwt: Bundle
beforeAll(() => {
  byIam = synthesize({
    throttle: { ratePerSecond: 7.5, burst: 20 },
    // The platform's path of the search differs from the route of the API.
    upstream: { baseUrl: 'https://shop.example.com', searchPath: '/v2/{data_entity}/find' },
  })
  byJwt = synthesize({
    name: 'Shop',
    auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore', 'shop'] },
    cors: ['https://app.example.com', 'http://localhost:3000'],
    upstream: { baseUrl: 'https://shop.example.com', headerPrefix: 'X-VENDOR' },
  })
})

const routes = (bundle: Bundle) => bundle.of('AWS::ApiGatewayV2::Route').map(({ properties }) => properties)

/** The routes of the contract, with the scope that a token needs. */
const contract = {
  'GET /api/logistics/pvt/configuration/docks/{dockId}': 'docks:read',
  'PATCH /api/rns/subscriptions-group/{groupId}': 'subscriptions:write',
  'PATCH /api/rns/subscriptions/{subscriptionId}': 'subscriptions:write',
  'GET /api/dataentities/{data_entity}/search': 'documents:read',
  'GET /api/dataentities/{data_entity}/scroll': 'documents:read',
  // Matches a search with a slash at the end of its path. API Gateway has no route that ends with a slash.
  'GET /api/dataentities/{data_entity}/{proxy+}': 'documents:read',
  'POST /syncs/{entity}': 'syncs:run',
  'GET /syncs': 'syncs:read',
  'GET /syncs/{entity}': 'syncs:read',
  'GET /syncs/{entity}/runs/{runId}': 'syncs:read',
  'DELETE /syncs/{entity}/runs/{runId}': 'syncs:run',
  'GET /syncs/{entity}/snapshot': 'syncs:read',
  'GET /syncs/{entity}/changes': 'syncs:read',
}

describe('routes', () => {
  it('are those of the contract, whatever search path the platform has', () => {
    expect(routes(byIam).map(({ RouteKey }) => RouteKey)).toEqual(
      expect.arrayContaining(Object.keys(contract)),
    )
  })

  it('match every other request except preflights, to refuse it with a problem', () => {
    const greedy = routes(byJwt).filter(({ RouteKey }) => RouteKey.endsWith(' /{proxy+}'))
    expect(greedy.map(({ RouteKey }): string => RouteKey).toSorted()).toEqual(
      ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'].map((method) => `${method} /{proxy+}`),
    )
    for (const route of greedy) expect(route).not.toHaveProperty('AuthorizationScopes')
  })

  it('need an AWS identity by default', () => {
    expect(routes(byIam).filter(({ AuthorizationType }) => AuthorizationType !== 'AWS_IAM')).toEqual([])
  })

  it('need a token of the issuer with JWT', () => {
    const authorizer = byJwt.only('AWS::ApiGatewayV2::Authorizer')
    expect(authorizer.properties).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: 'https://login.example.com/', Audience: ['longshore', 'shop'] },
    })
    for (const route of routes(byJwt))
      expect(route).toMatchObject({ AuthorizationType: 'JWT', AuthorizerId: { Ref: authorizer.id } })
  })

  it('need their scope with JWT', () => {
    const scopes = Object.fromEntries(
      routes(byJwt).map(({ RouteKey, AuthorizationScopes }) => [RouteKey, AuthorizationScopes]),
    )
    expect(scopes).toMatchObject(
      Object.fromEntries(Object.entries(contract).map(([route, scope]) => [route, [scope]])),
    )
  })

  it('invoke a function that only this API may invoke', () => {
    for (const { Target } of routes(byIam)) expect(JSON.stringify(Target)).toContain('integrations/')
    const ofApi = byIam.of('AWS::Lambda::Permission').filter(({ stack }) => stack === 'LongshoreApi')
    expect(ofApi.length).toBeGreaterThan(0)
    for (const { properties } of ofApi) {
      expect(properties.Principal).toBe('apigateway.amazonaws.com')
      expect(JSON.stringify(properties.SourceArn)).toContain(byIam.only('AWS::ApiGatewayV2::Api').id)
    }
    for (const { properties } of byIam.of('AWS::ApiGatewayV2::Integration'))
      expect(properties.PayloadFormatVersion).toBe('2.0')
  })
})

describe('100 endpoints of the configuration', () => {
  const many = (change: Partial<ConfigurationInput> = {}) =>
    synthesize({
      endpoints: [
        {
          path: '/api/rns/subscriptions/{id}',
          area: 'subscriptions',
          scope: 'docks:read',
          responseHeaders: ['X-A'],
        },
        ...Array.from({ length: 99 }, (_, index) => ({ path: `/api/list${index}/{id}`, area: `a${index}` })),
      ],
      credentials: { a42: 'shop/a42', logistics: 'shop/logistics' },
      cors: ['https://app.example.com'],
      ...change,
    })

  it('have a route with the scope of their area or their own, and need an identity', () => {
    const auth = { type: 'jwt' as const, issuer: 'https://login.example.com/', audience: ['longshore'] }
    const scopes = routes(many({ auth })).map(({ RouteKey, AuthorizationScopes }) => [
      RouteKey,
      AuthorizationScopes,
    ])
    expect(scopes).toHaveLength(routes(byJwt).length + 100)
    // The parameter has the same name as in the route of the PATCH.
    expect(scopes).toContainEqual(['GET /api/rns/subscriptions/{subscriptionId}', ['docks:read']])
    expect(scopes).toContainEqual(['GET /api/list7/{id}', ['a7:read']])
    expect(routes(many()).filter(({ AuthorizationType }) => AuthorizationType !== 'AWS_IAM')).toEqual([])
  })

  it('need one permission for each function and no variable, and browsers may read their headers', () => {
    const inApi = many()
      .of('AWS::Lambda::Permission')
      .filter(({ stack }) => stack === 'LongshoreApi')
    expect(inApi).toHaveLength(3)
    const variables = (bundle: Bundle) =>
      bundle
        .of('AWS::Lambda::Function')
        .map(({ properties }) => Object.keys(properties.Environment.Variables))
    expect(variables(many())).toEqual(variables(byIam))
    const { ExposeHeaders } = many().only('AWS::ApiGatewayV2::Api').properties.CorsConfiguration
    expect(ExposeHeaders).toEqual(expect.arrayContaining(['etag', 'last-modified', 'x-a']))
  })

  it('let only the proxy read the secret of their area, which its settings name', () => {
    const readers = permissions(many()).filter(({ resources }) =>
      JSON.stringify(resources).includes('shop/a42-'),
    )
    expect(readers.flatMap(({ roles }) => roles)).toEqual([expect.stringMatching(/^ProxyRole/)])
    const [proxy] = many().of('AWS::Lambda::Function')
    expect(proxy && many().codeOf(proxy).settings).toMatchObject({ credentials: { a42: 'shop/a42' } })
  })
})

describe('the stage', () => {
  it('throttles as configured', () => {
    expect(byIam.only('AWS::ApiGatewayV2::Stage').properties).toMatchObject({
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 7.5, ThrottlingBurstLimit: 20 },
    })
    expect(byJwt.only('AWS::ApiGatewayV2::Stage').properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 100,
    })
  })

  it('logs each access as JSON, to a group that does not count towards the limit of resource policies', () => {
    const { Format, DestinationArn } = byIam.only('AWS::ApiGatewayV2::Stage').properties.AccessLogSettings
    const group = byIam.of('AWS::Logs::LogGroup').find(({ id }) => id === DestinationArn['Fn::GetAtt'][0])
    expect(group?.properties.LogGroupName).toBe('/aws/vendedlogs/apigateway/LongshoreApi')
    expect(Object.values(JSON.parse(Format))).toEqual(
      expect.arrayContaining(['$context.routeKey', '$context.status', '$context.requestId']),
    )
  })

  it('logs no value that a caller can choose, since API Gateway does not escape values', () => {
    const { Format } = byIam.only('AWS::ApiGatewayV2::Stage').properties.AccessLogSettings
    const safe = [
      ...'requestId requestTime identity.sourceIp identity.userArn authorizer.claims.sub routeKey'.split(' '),
      ...'status responseLength responseLatency integrationLatency integrationErrorMessage'.split(' '),
      'error.responseType',
    ]
    const logged = [...Format.matchAll(/\$context\.([\w.]+)/g)].map(([, name]) => name)
    expect(logged.filter((name) => !safe.includes(name))).toEqual([])
  })
})

describe('the proxy', () => {
  const reserved = (bundle: Bundle) =>
    bundle
      .of('AWS::Lambda::Function')
      .map(({ id, properties }) => [id.replace(/Function.*/, ''), properties.ReservedConcurrentExecutions])

  it('reserves no concurrency by default', () => {
    expect(reserved(byIam).filter(([, limit]) => limit !== undefined)).toEqual([])
  })

  it('is the only function limited by maxConcurrentCalls', () => {
    const limited = reserved(synthesize({ maxConcurrentCalls: 40 }))
    expect(limited.filter(([, limit]) => limit !== undefined)).toEqual([['Proxy', 40]])
  })
})

describe('browsers', () => {
  it('may not call unless origins are configured', () => {
    expect(byIam.only('AWS::ApiGatewayV2::Api').properties.CorsConfiguration).toBeUndefined()
  })

  it('may call from the configured origins and read the response headers', () => {
    const cors = byJwt.only('AWS::ApiGatewayV2::Api').properties.CorsConfiguration
    expect(cors.AllowOrigins).toEqual(['https://app.example.com', 'http://localhost:3000'])
    expect(cors.AllowMethods).toEqual(expect.arrayContaining(['GET', 'PATCH', 'POST', 'DELETE']))
    expect(cors.AllowHeaders).toEqual(
      expect.arrayContaining([
        ...'authorization content-type idempotency-key rest-range traceparent'.split(' '),
        ...'x-amz-content-sha256 x-amz-date x-amz-security-token'.split(' '),
      ]),
    )
    expect(cors.ExposeHeaders).toEqual(
      expect.arrayContaining([
        ...'rest-content-range rest-content-total x-vendor-md-token longshore-warning'.split(' '),
        ...'apigw-requestid idempotency-replayed link retry-after'.split(' '),
      ]),
    )
    expect(cors.MaxAge).toBe(3600)
    expect(cors.AllowCredentials).not.toBe(true)
  })
})

it('outputs contain the URL of the API, in a stack with the configured prefix', () => {
  const api = byJwt.only('AWS::ApiGatewayV2::Api').id
  expect(byJwt.outputs['ShopApi.ApiUrl']).toEqual({ 'Fn::GetAtt': [api, 'ApiEndpoint'] })
  const stacks = ['ShopApi', 'ShopAthena', 'ShopMonitoring', 'ShopStorage', 'ShopSync']
  expect(Object.keys(byJwt.templates).sort()).toEqual(stacks)
})
