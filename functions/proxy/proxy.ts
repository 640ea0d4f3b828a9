import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { ProblemError } from '../http/problem.ts'
import { logRequest } from '../http/request-log.ts'
import { type LambdaResult, maxResultBytes } from '../http/result.ts'
import { correlationId } from '../http/trace-context.ts'
import { type Endpoint, endpoints } from '../platform/endpoints.ts'
import type { UpstreamSettings, Validation } from '../runtime/settings.ts'
import { type Upstream, withUsage } from '../upstream/client.ts'
import { UpstreamFailure } from '../upstream/errors.ts'
import type { UpstreamResponse } from '../upstream/exchange.ts'
import { newUsage, usageMetrics } from '../upstream/usage.ts'
import { deliver } from './delivery.ts'
import { explain } from './failures.ts'
import { type IdempotentRequest, readIdempotencyKey } from './idempotency/idempotency-key.ts'
import { withNextPage } from './next-page.ts'
import { budgetMs, repeatAfterMs } from './repeats.ts'
import { type AllowedRequest, allowedRequest } from './request-rules.ts'
import { type RelayedAnswer, relay } from './response-rules.ts'

export type ProxyEvent = Pick<
  APIGatewayProxyEventV2,
  'routeKey' | 'pathParameters' | 'rawPath' | 'rawQueryString' | 'headers' | 'body' | 'isBase64Encoded'
> & {
  readonly requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId'> & {
    readonly authorizer?: unknown
  }
}

export type Proxy = (
  event: ProxyEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<LambdaResult>

/** Performs a request with an idempotency key, or gives the answer that is known of it. */
export type WithIdempotency = (
  key: IdempotentRequest,
  perform: () => Promise<RelayedAnswer>,
) => Promise<RelayedAnswer>

/** Answers one caller's request: held against the endpoint's entry, sent up, relayed, logged. Never rejects. */
export function createProxy(options: {
  readonly settings: UpstreamSettings
  readonly validation: Validation
  readonly upstream: Upstream
  /** Loaded with the first request that has an idempotency key. */
  readonly withIdempotency: WithIdempotency
  readonly wait?: (ms: number) => Promise<unknown>
}): Proxy {
  const { settings, validation, upstream, withIdempotency, wait = sleep } = options
  const byRoute = new Map(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))

  return async (event, context) => {
    const startedAt = Date.now()
    const sent: Sent = { tries: 0 }
    const usage = newUsage()
    const endpoint = byRoute.get(event.routeKey)
    const call = { acceptEncoding: event.headers['accept-encoding'], endpoint }
    const finish = (result: LambdaResult, failure?: { problem: ProblemError; logged?: unknown }) => {
      logRequest({
        route: endpoint ? event.routeKey : 'unknown',
        area: endpoint?.area,
        status: result.statusCode,
        durationMs: Date.now() - startedAt,
        requestId: event.requestContext.requestId,
        correlationId: correlationId(event),
        problem: failure?.problem.problem,
        upstreamStatus: sent.status,
        tries: sent.tries,
        upstreamMs: usage.exchangesMs.reduce((sum, ms) => sum + ms, 0),
        secretMs: usage.secretMs,
        error: failure?.logged,
        metrics: usageMetrics(usage)[0],
      })
      return result
    }
    try {
      if (!endpoint) throw new ProblemError('not-found', 'No endpoint has this method and path.')
      const request = allowedRequest(event, endpoint, { ...settings, validation })
      const deadline = startedAt + budgetMs(settings.timeoutSeconds, context.getRemainingTimeInMillis())
      const perform = async () => {
        const answer = await send({
          upstream: withUsage(upstream, usage),
          endpoint,
          request,
          deadline,
          wait,
          sent,
        })
        const known = { headerPrefix: settings.headerPrefix, query: request.query }
        return withNextPage(relay(answer, endpoint, known), endpoint, known)
      }
      const key = request.body && readIdempotencyKey(event, request.body)
      return finish(await deliver(key ? await withIdempotency(key, perform) : await perform(), call))
    } catch (error) {
      const failure = explain(error, endpoint)
      const { statusCode, headers, body } = failure.problem.answer()
      return finish(await deliver({ statusCode, headers, body: Buffer.from(body) }, call), failure)
    }
  }
}

/** Not from node:timers/promises: its import alone takes 0.2 ms of a start. */
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** How often a request was sent, and the status that the upstream answered last, for the log. */
interface Sent {
  tries: number
  status?: number
}

async function send(call: {
  readonly upstream: Upstream
  readonly endpoint: Endpoint
  readonly request: AllowedRequest
  readonly deadline: number
  readonly wait: (ms: number) => Promise<unknown>
  readonly sent: Sent
}): Promise<UpstreamResponse> {
  const { upstream, endpoint, request, deadline, wait, sent } = call
  const { repeatable } = endpoint
  for (;;) {
    const outcome = await upstream
      .send({
        method: endpoint.method,
        area: endpoint.area,
        target: request.target,
        headers: request.headers,
        ...(request.body && { body: request.body }),
        totalMs: deadline - Date.now(),
        maxBytes: maxResultBytes,
        onceOnly: repeatable !== 'safe',
      })
      .catch(asFailure)
    sent.tries += 1
    if (!(outcome instanceof UpstreamFailure)) sent.status = outcome.status
    const waitMs = repeatAfterMs(outcome, { repeatable, tries: sent.tries, leftMs: deadline - Date.now() })
    if (waitMs !== undefined) await wait(waitMs)
    else if (outcome instanceof UpstreamFailure) throw outcome
    else return outcome
  }
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  throw error
}
