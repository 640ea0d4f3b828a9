import { openapiRoutes, unmatchedRoutes } from '../http/openapi-routes.ts'
import { pathPattern } from '../http/path-template.ts'
import { type LambdaResult, type ProblemName, problemResult } from '../http/result.ts'
import { syncRoutes } from '../http/sync-routes.ts'
import type { Endpoint } from '../platform/endpoints.ts'

/** A refused request, with the problem's name for the log. */
export interface UnmatchedResponse {
  readonly name: ProblemName
  readonly result: LambdaResult
}

const unmatchedKeys: readonly string[] = unmatchedRoutes.map(({ method, path }) => `${method} ${path}`)

export const isUnmatched = (routeKey: string): boolean => unmatchedKeys.includes(routeKey)

/** The response to a request that matches no other route: 405 for a known path (RFC 9110 section 15.5.6), else 404. */
export function refuseUnmatched(path: string, endpoints: readonly Endpoint[]): UnmatchedResponse {
  const routes = [...endpoints, ...syncRoutes, ...openapiRoutes].filter((route) =>
    pathPattern(route.path).test(path),
  )
  const methods = new Set(routes.map(({ method }) => method))
  if (methods.size === 0) {
    const detail = 'No route has this path. GET /openapi.json lists all routes.'
    return { name: 'not-found', result: problemResult('not-found', detail) }
  }
  const allow = [...methods].sort().join(', ')
  const { headers, ...result } = problemResult('method-not-allowed', `This path allows only ${allow}.`)
  return { name: 'method-not-allowed', result: { ...result, headers: { ...headers, allow } } }
}
