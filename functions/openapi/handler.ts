import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { forHttpEvents } from '../http/event.ts'
import { readQuery } from '../http/query.ts'
import { logRequest } from '../http/request-log.ts'
import { compressedFor, type LambdaResult, lambdaResult, ProblemError } from '../http/result.ts'
import { correlationId } from '../http/trace-context.ts'
import { endpointsWith } from '../platform/configured-endpoints.ts'
import { readSettings } from '../runtime/environment.ts'
import { describeApi } from './openapi.ts'
import { isUnmatched, refuseUnmatched, type UnmatchedResponse } from './unmatched.ts'

const settings = readSettings()

/** The document changes only with a deployment. */
const headers = { 'content-type': 'application/json', 'cache-control': 'private, max-age=60' }
const body = Buffer.from(JSON.stringify(describeApi(settings)))

export const handler = forHttpEvents(async (event: APIGatewayProxyEventV2): Promise<LambdaResult> => {
  const startedAt = Date.now()
  const refused = refusalOf(event)
  const result = refused?.result ?? (await documentFor(event))
  logRequest({
    route: event.routeKey,
    status: result.statusCode,
    durationMs: Date.now() - startedAt,
    requestId: event.requestContext.requestId,
    correlationId: correlationId(event),
    problem: refused?.name,
  })
  return result
})

function refusalOf(event: APIGatewayProxyEventV2): UnmatchedResponse | undefined {
  const { routeKey, rawPath, rawQueryString } = event
  if (isUnmatched(routeKey)) return refuseUnmatched(String(rawPath), endpointsWith(settings.endpoints))
  try {
    readQuery(rawQueryString, [])
    return undefined
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { name: error.problem, result: error.response() }
  }
}

async function documentFor(event: APIGatewayProxyEventV2): Promise<LambdaResult> {
  const result = lambdaResult(200, await compressedFor(event.headers['accept-encoding'], { headers, body }))
  if (!result) throw new Error('The OpenAPI document is larger than a function can return.')
  return result
}
