import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { logRequest } from '../http/request-log.ts'
import { type LambdaResult, maxResultBytes, ProblemError } from '../http/result.ts'
import { correlationId } from '../http/trace-context.ts'
import { type Endpoint, type ProxyRoute, proxyRoutes, restOfPath } from '../platform/endpoints.ts'
import type { UpstreamSettings, Validation } from '../runtime/settings.ts'
import { minRequestMs, type RedactingUpstream, withUsage } from '../upstream/client.ts'
import { UpstreamFailure, type UpstreamResponse } from '../upstream/exchange.ts'
import { describeClass, intermediaryOf } from '../upstream/intermediary.ts'
import { sendWithRetries } from '../upstream/retry.ts'
import { newUsage, usageMetrics } from '../upstream/usage.ts'
import { type IdempotentRequest, readIdempotencyKey } from './idempotency/idempotency-key.ts'
import { type AllowedRequest, allowedRequest } from './request/allowed-request.ts'
import { deliver } from './response/delivery.ts'
import { explain } from './response/failures.ts'
import { withoutCredentials } from './response/redaction.ts'
import { type RelayedResponse, relay, withNextPage } from './response/relay.ts'
import { budgetMs, retryPolicyOf } from './retry-rules.ts'

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

/** Performs a request with an idempotency key, or returns what is stored of the key's first request. */
export type WithIdempotency = (
  key: IdempotentRequest,
  perform: () => Promise<RelayedResponse>,
) => Promise<RelayedResponse>

/** The API proxy: checks a caller's request, forwards it, relays the response and logs one line. Never rejects. */
export function createProxy(options: {
  readonly settings: UpstreamSettings
  readonly validation: Validation
  readonly endpoints: readonly Endpoint[]
  readonly upstream: RedactingUpstream
  readonly withIdempotency: WithIdempotency
  readonly wait?: (ms: number) => Promise<unknown>
}): Proxy {
  const { settings, validation, upstream, withIdempotency, wait = sleep } = options
  const routes = new Map(
    proxyRoutes(options.endpoints).map((route) => [`${route.method} ${route.path}`, route]),
  )

  return async (event, context) => {
    const startedAt = Date.now()
    const deadline = startedAt + budgetMs(settings.timeoutSeconds, context.getRemainingTimeInMillis())
    const sent: Sent = { tries: 0 }
    const usage = newUsage()
    const endpoint = endpointOf(routes.get(event.routeKey), event)
    const call = { acceptEncoding: event.headers['accept-encoding'], endpoint }
    const finish = (result: LambdaResult, failure?: { problem: ProblemError; logged?: unknown }) => {
      logRequest({
        route: endpoint ? `${endpoint.method} ${endpoint.path}` : 'unknown',
        status: result.statusCode,
        durationMs: Date.now() - startedAt,
        requestId: event.requestContext.requestId,
        correlationId: correlationId(event),
        problem: failure?.problem.problem,
        upstreamStatus: sent.status,
        intermediary: sent.intermediary,
        tries: sent.tries,
        upstreamMs: usage.exchangesMs.reduce((sum, ms) => sum + ms, 0),
        secretMs: usage.secretMs,
        error: failure?.logged,
        metrics: usageMetrics(usage),
      })
      return result
    }
    const perform = async (endpoint: Endpoint, request: AllowedRequest): Promise<RelayedResponse> => {
      const counted = withUsage(upstream, usage)
      const received = await sendAllowed({ upstream: counted, endpoint, request, deadline, wait, sent })
      const known = { headerPrefix: settings.headerPrefix, query: request.query }
      const relayed = withoutCredentials(relay(received, endpoint, known), {
        endpoint,
        redact: (text) => upstream.redact(text),
      })
      return withNextPage(relayed, endpoint, known)
    }
    try {
      if (!endpoint)
        throw new ProblemError('not-found', 'No route has this path. GET /openapi.json lists all routes.')
      const request = allowedRequest(event, endpoint, { ...settings, validation })
      const key = request.body && readIdempotencyKey(event, request.body)
      const response = key
        ? await withIdempotency(key, () => perform(endpoint, request))
        : await perform(endpoint, request)
      return finish(await deliver(response, call))
    } catch (error) {
      const failure = explain(error, endpoint)
      const { statusCode, headers, body } = failure.problem.response()
      return finish(await deliver({ statusCode, headers, body: Buffer.from(body) }, call), failure)
    }
  }
}

/** Not from node:timers/promises, whose import slows down a cold start. */
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The endpoint of a request; undefined for another path that a greedy route matches. */
function endpointOf(route: ProxyRoute | undefined, { pathParameters }: ProxyEvent): Endpoint | undefined {
  if (!route || route.path === route.endpoint.path) return route?.endpoint
  const { endpoint } = route
  const lastSegment = endpoint.path.slice(endpoint.path.lastIndexOf('/') + 1)
  // API Gateway does not promise to keep the slash.
  return [`${lastSegment}/`, lastSegment].includes(pathParameters?.[restOfPath] ?? '') ? endpoint : undefined
}

/** How often a request was sent, and the last response, for the log. */
export interface Sent {
  tries: number
  status?: number
  /** Who sent the last response instead of the platform, and what to do about it. */
  intermediary?: string | undefined
}

/** Sends a request and retries it as the endpoint allows. Throws `UpstreamFailure` and `CredentialsError`. */
async function sendAllowed(call: {
  readonly upstream: RedactingUpstream
  readonly endpoint: Endpoint
  readonly request: AllowedRequest
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly wait: (ms: number) => Promise<unknown>
  readonly sent: Sent
}): Promise<UpstreamResponse> {
  const { upstream, endpoint, request, deadline, wait, sent } = call
  const { method, area, repeatable } = endpoint
  const outcome = await sendWithRetries(
    () =>
      upstream.send({
        method,
        area,
        target: request.target,
        headers: request.headers,
        ...(request.body && { body: request.body }),
        totalMs: deadline - Date.now(),
        maxBytes: maxResultBytes,
        onceOnly: repeatable !== 'safe',
      }),
    (outcome) => {
      if ('status' in outcome) {
        const by = intermediaryOf(outcome)
        sent.status = outcome.status
        sent.intermediary = by && describeClass(outcome, by, (text) => upstream.redact(text))
      }
      if ('status' in outcome || outcome.kind !== 'not-sent') sent.tries += 1
      return retryPolicyOf(outcome, repeatable)
    },
    { now: Date.now, random: Math.random, sleep: wait, deadline: deadline - minRequestMs },
  )
  if (outcome instanceof UpstreamFailure) throw outcome
  return outcome
}
