import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { compressedFor } from '../http/content-coding.ts'
import { internalError, ProblemError } from '../http/problem.ts'
import { requestBody } from '../http/request-body.ts'
import { logRequest } from '../http/request-log.ts'
import { type LambdaResult, lambdaResult } from '../http/result.ts'
import { correlationId } from '../http/trace-context.ts'
import { UnknownItemVersion } from '../state/item-version.ts'
import { type SyncRoute, syncRoutes } from './routes.ts'
import { readStartBody } from './start-body.ts'
import type { Syncs } from './syncs.ts'

/** Answers one request below `/syncs`. Never rejects. */
export function createSyncApi(syncs: Syncs) {
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
        area: route && 'syncs',
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
      const { status, body, runId } = await answer(syncs, route, event)
      const result = await json(status, body, event.headers['accept-encoding'])
      // From here the worker's lines go on under the run's id.
      return finish(result, { ...(runId && { runId }) })
    } catch (error) {
      if (error instanceof ProblemError) return finish(error.answer(), { problem: error.problem })
      const problem =
        error instanceof UnknownItemVersion
          ? new ProblemError('internal-error', error.message)
          : internalError()
      return finish(problem.answer(), { problem: problem.problem, error })
    }
  }
}

async function answer(
  syncs: Syncs,
  route: SyncRoute,
  event: APIGatewayProxyEventV2,
): Promise<{ status: number; body: unknown; runId?: string }> {
  const { entity = '', runId = '' } = event.pathParameters ?? {}
  switch (route.name) {
    case 'list-syncs':
      return { status: 200, body: await syncs.list() }
    case 'read-sync':
      return { status: 200, body: await syncs.read(entity) }
    case 'read-run':
      return { status: 200, body: await syncs.readRun(entity, runId) }
    case 'start-sync': {
      const run = await syncs.start(entity, readStartBody(requestBody(event)))
      const started = { runId: run.runId, entity, statusUrl: runUrl(event, run) }
      return { status: 202, body: started, runId: run.runId }
    }
    case 'cancel-run':
      return { status: 202, body: await syncs.cancel(entity, runId) }
    case 'read-snapshot':
      return { status: 200, body: await syncs.snapshot(entity) }
  }
}

/** The run's absolute address, under the host by which the caller came. */
function runUrl(
  { headers, requestContext }: APIGatewayProxyEventV2,
  run: { entity: string; runId: string },
): string {
  const { domainName, stage } = requestContext
  const prefix = stage === '$default' ? '' : `/${stage}`
  const path = `${prefix}/syncs/${encodeURIComponent(run.entity)}/runs/${run.runId}`
  return `${headers['x-forwarded-proto'] ?? 'https'}://${domainName}${path}`
}

/** A manifest with its links shrinks to a twentieth for a caller that takes it compressed. */
async function json(status: number, value: unknown, acceptEncoding?: string): Promise<LambdaResult> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  const body = Buffer.from(JSON.stringify(value))
  const result = lambdaResult(status, await compressedFor(acceptEncoding, { headers, body }))
  if (result) return result
  throw new ProblemError(
    'answer-too-large',
    'The answer is larger than Lambda can return. Send Accept-Encoding: gzip, or read the manifest from the bucket.',
  )
}
