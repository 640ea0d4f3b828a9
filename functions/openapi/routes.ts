/** The route of the OpenAPI document. Any valid identity or token may read it, so it has no scope. */
export const openapiRoutes = [{ name: 'read-openapi', method: 'GET', path: '/openapi.json' }] as const
