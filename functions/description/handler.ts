import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { readSettings } from '../environment.ts'
import { logRequest } from '../http/request-log.ts'
import { correlationId } from '../traceparent.ts'
import { describeApi } from './openapi.ts'

const { name, upstream, entities, auth } = readSettings()

/** Only a deployment changes it. */
const answer = {
  statusCode: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'private, max-age=60' },
  body: JSON.stringify(
    describeApi({
      name,
      headerPrefix: upstream.headerPrefix,
      entities: entities.map((entity) => entity.name),
      auth,
    }),
  ),
} satisfies APIGatewayProxyStructuredResultV2

export async function handler(event: APIGatewayProxyEventV2): Promise<typeof answer> {
  logRequest({
    route: event.routeKey,
    status: answer.statusCode,
    durationMs: 0,
    requestId: event.requestContext.requestId,
    correlationId: correlationId(event),
  })
  return answer
}
