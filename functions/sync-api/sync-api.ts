import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { UnknownVersion } from '../../stored/unknown-version.ts'
import { UnreadableObject } from '../../stored/unreadable-object.ts'
import { readQuery } from '../http/query.ts'
import { logRequest } from '../http/request-log.ts'
import type { LambdaResult } from '../http/result.ts'
import { compressedFor, internalError, lambdaResult, ProblemError } from '../http/result.ts'
import { syncRoutes } from '../http/sync-routes.ts'
import { correlationId } from '../http/trace-context.ts'
import type { JsonResponse, Responders } from './responders.ts'

/** Handles one request below `/syncs` and logs one line. Never rejects. */
export function createSyncApi(responders: Responders) {
  const byRoute = new Map(syncRoutes.map((route) => [`${route.method} ${route.path}`, route]))

  return async (event: APIGatewayProxyEventV2): Promise<LambdaResult> => {
    const startedAt = Date.now()
    const route = byRoute.get(event.routeKey)
    const finish = (
      result: LambdaResult,
      more: { problem?: string; error?: unknown; runId?: string } = {},
    ) => {
      logRequest({
        route: route ? event.routeKey : 'unknown',
        status: result.statusCode,
        durationMs: Date.now() - startedAt,
        requestId: event.requestContext.requestId,
        correlationId: correlationId(event),
        ...more,
      })
      return result
    }
    try {
      if (!route) throw new ProblemError('not-found', 'No route has this method and path.')
      const query = readQuery(event.rawQueryString, route.query)
      const response = await responders[route.name](event, query)
      if (response.status === 304) return finish(notModified(response.etag))
      const result = await jsonResult(response, event.headers['accept-encoding'])
      return finish(result, { ...(response.runId && { runId: response.runId }) })
    } catch (error) {
      if (error instanceof ProblemError) return finish(error.response(), { problem: error.problem })
      const problem =
        error instanceof UnknownVersion || error instanceof UnreadableObject
          ? new ProblemError('internal-error', error.message)
          : internalError()
      return finish(problem.response(), { problem: problem.problem, error })
    }
  }
}

/** How caches treat a response with an entity tag. */
const cachedHeaders = (etag: string) => ({ 'cache-control': 'private, no-cache', etag })

/** With the headers of the response in its place by which a cache updates what it has (RFC 9110 section 15.4.5). */
const notModified = (etag: string): LambdaResult => ({
  statusCode: 304,
  headers: { ...cachedHeaders(etag), vary: 'accept-encoding' },
})

async function jsonResult(
  { status, body: value, etag }: JsonResponse,
  acceptEncoding: string | undefined,
): Promise<LambdaResult> {
  const headers = {
    'content-type': 'application/json',
    ...(etag === undefined ? { 'cache-control': 'no-store' } : cachedHeaders(etag)),
  }
  const body = Buffer.from(JSON.stringify(value))
  const result = lambdaResult(status, await compressedFor(acceptEncoding, { headers, body }))
  if (result) return result
  throw new ProblemError(
    'response-too-large',
    'The response is larger than 6 MB, the limit of a Lambda function. Send Accept-Encoding: gzip.',
  )
}
