import * as v from 'valibot'
import { type LambdaResult, problemResult } from './result.ts'

/** The part of API Gateway's events (payload format 2.0) that our functions rely on. */
const httpEvent = v.looseObject({
  routeKey: v.string(),
  rawQueryString: v.string(),
  headers: v.record(v.string(), v.string()),
  pathParameters: v.nullish(v.record(v.string(), v.string())),
  body: v.nullish(v.string()),
  requestContext: v.looseObject({ requestId: v.string() }),
})

const notAnEvent = problemResult(
  'invalid-request',
  'This function can be invoked only with events of API Gateway (HTTP API, payload format 2.0).',
)

/** Returns a problem for any other event, such as a test event from the Lambda console. */
export function forHttpEvents<Given extends readonly [event: unknown, ...unknown[]]>(
  handler: (...given: Given) => Promise<LambdaResult>,
): (...given: Given) => Promise<LambdaResult> {
  return async (...given) => (v.is(httpEvent, given[0]) ? handler(...given) : notAnEvent)
}
