import * as v from 'valibot'
import { problem } from './problem.ts'
import type { LambdaResult } from './result.ts'

/** What every event of API Gateway has, payload format 2.0, as far as functions of ours rely on it. */
const httpEvent = v.looseObject({
  routeKey: v.string(),
  rawQueryString: v.string(),
  headers: v.record(v.string(), v.string()),
  pathParameters: v.nullish(v.record(v.string(), v.string())),
  body: v.nullish(v.string()),
  requestContext: v.looseObject({ requestId: v.string() }),
})

const notAnEvent = problem(
  'invalid-request',
  'This function answers events of API Gateway (HTTP API, payload format 2.0), and this is none.',
)

/** Answers what is none in the usual form too: somebody tries the function at a console, or wires it wrongly. */
export function forHttpEvents<Given extends readonly [event: unknown, ...unknown[]]>(
  handler: (...given: Given) => Promise<LambdaResult>,
): (...given: Given) => Promise<LambdaResult> {
  return async (...given) => (v.is(httpEvent, given[0]) ? handler(...given) : notAnEvent)
}
