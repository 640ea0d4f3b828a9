import { pathPattern } from '../http/path-template.ts'
import { type ProblemName, problem } from '../http/problem.ts'
import type { LambdaResult } from '../http/result.ts'
import { endpoints } from '../platform/endpoints.ts'
import { syncRoutes } from '../sync-api/routes.ts'
import { openapiRoutes, unmatchedRoutes } from './routes.ts'

/** A refused request, with the problem's name for the log. */
export interface UnmatchedResponse {
  readonly name: ProblemName
  readonly result: LambdaResult
}

const routes = [...endpoints, ...syncRoutes, ...openapiRoutes].map(({ method, path }) => ({
  method,
  pattern: pathPattern(path),
}))

const unmatchedKeys: readonly string[] = unmatchedRoutes.map(({ method, path }) => `${method} ${path}`)

export const isUnmatched = (routeKey: string): boolean => unmatchedKeys.includes(routeKey)

/** The response to a request that matches no other route: 405 for a known path (RFC 9110 section 15.5.6), else 404. */
export function refuseUnmatched(path: string): UnmatchedResponse {
  const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) {
    const detail = 'No route has this path. GET /openapi.json lists all routes.'
    return { name: 'not-found', result: problem('not-found', detail) }
  }
  const allow = methods.toSorted().join(', ')
  const { headers, ...result } = problem('method-not-allowed', `This path allows only ${allow}.`)
  return { name: 'method-not-allowed', result: { ...result, headers: { ...headers, allow } } }
}
