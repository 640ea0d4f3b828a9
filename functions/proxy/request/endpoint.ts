import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type Endpoint, proxyRoutes, restOfPath } from '../../platform/endpoints.ts'

const byKey = new Map(proxyRoutes.map((route) => [`${route.method} ${route.path}`, route]))

/** The endpoint of a request; undefined for another path that a greedy route matches. */
export function endpointOf({
  routeKey,
  pathParameters,
}: Pick<APIGatewayProxyEventV2, 'routeKey' | 'pathParameters'>): Endpoint | undefined {
  const route = byKey.get(routeKey)
  if (!route || route.path === route.endpoint.path) return route?.endpoint
  const { endpoint } = route
  const lastSegment = endpoint.path.slice(endpoint.path.lastIndexOf('/') + 1)
  // API Gateway does not promise to keep the slash.
  return [`${lastSegment}/`, lastSegment].includes(pathParameters?.[restOfPath] ?? '') ? endpoint : undefined
}
