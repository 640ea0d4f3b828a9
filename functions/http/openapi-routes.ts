/** The route of the OpenAPI document. Any valid identity or token may read it, so it has no scope. */
export const openapiRoutes = [{ name: 'read-openapi', method: 'GET', path: '/openapi.json' }] as const

/**
 * Match requests that match no other route, so that they get a problem as response. OPTIONS is left out: API Gateway
 * responds to preflights itself, unless a route that needs an identity matches them.
 */
export const unmatchedRoutes = (['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'] as const).map(
  (method) => ({ name: 'refuse-request', method, path: '/{proxy+}' }) as const,
)
