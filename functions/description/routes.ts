/** The route that tells about all the others. Any valid identity or token may read it, so it has no scope. */
export const descriptionRoutes = [{ name: 'read-openapi', method: 'GET', path: '/openapi.json' }] as const
