/** The route that tells about all the others. Any valid identity or token may read it, so it has no scope. */
export const openapiRoutes = [{ name: 'read-openapi', method: 'GET', path: '/openapi.json' }] as const
