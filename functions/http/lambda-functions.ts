import { type ConfiguredEndpoint, endpointsWith } from '../platform/configured-endpoints.ts'
import { proxyRoutes } from '../platform/endpoints.ts'
import { openapiRoutes, unmatchedRoutes } from './openapi-routes.ts'
import { syncRoutes } from './sync-routes.ts'

/**
 * The Lambda functions. The build, the stacks, local mode and the tests use this list. Each name is a folder of
 * `functions/` whose entry is `handler.ts`; the build writes it to `dist/<name>/handler.mjs`.
 */
export const lambdaFunctions = [
  'proxy',
  'sync-api',
  'openapi',
  'worker',
  'publisher',
  'compare',
  'tables',
  'look',
] as const
export type FunctionName = (typeof lambdaFunctions)[number]

export interface ApiRoute {
  readonly method: string
  readonly path: string
  /** The scope that a JWT must grant. Any valid token can call a route without one. */
  readonly scope?: string
}

export const apiFunctions = ['proxy', 'sync-api', 'openapi'] as const satisfies readonly FunctionName[]
export type ApiFunctionName = (typeof apiFunctions)[number]

/** The API Gateway routes of each function that serves HTTP requests. */
export const apiRoutes = (
  configured: readonly ConfiguredEndpoint[],
): Readonly<Record<ApiFunctionName, readonly ApiRoute[]>> => ({
  proxy: proxyRoutes(endpointsWith(configured)),
  'sync-api': syncRoutes,
  openapi: [...openapiRoutes, ...unmatchedRoutes],
})
