import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProblemError } from '../../../functions/http/result.ts'
import { syncRoutes } from '../../../functions/http/sync-routes.ts'
import type { Responders, SyncResponse } from '../../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../../functions/sync-api/sync-api.ts'
import { UnknownItemVersion } from '../../../stored/item-version.ts'

const print = vi.spyOn(console, 'log')
beforeEach(() => {
  print.mockReset().mockReturnValue()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The line that was logged for the last request. */
const loggedLine = () => JSON.parse(String(print.mock.lastCall?.[0]))

interface Call {
  readonly routeKey?: string
  readonly rawQueryString?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the route with a response of its own. */
function call(respond: () => Promise<SyncResponse>, change: Call = {}) {
  const responses = Object.fromEntries(syncRoutes.map(({ name }) => [name, respond])) as unknown as Responders
  const event = {
    routeKey: 'GET /syncs',
    rawQueryString: '',
    headers: {},
    requestContext: { requestId: 'request-1' },
    ...change,
  }
  return createSyncApi(responses)(event as unknown as APIGatewayProxyEventV2)
}

const failing = (error: unknown) => async (): Promise<SyncResponse> => {
  throw error
}

describe('the routes of the sync API', () => {
  it('are the ones that callers rely on, with their scopes and query parameters', () => {
    expect(
      syncRoutes.map(({ method, path, scope, query }) => [method, path, scope, ...query].join(' ')),
    ).toEqual([
      'GET /syncs syncs:read',
      'GET /syncs/{entity} syncs:read',
      'POST /syncs/{entity} syncs:run',
      'GET /syncs/{entity}/runs/{runId} syncs:read',
      'DELETE /syncs/{entity}/runs/{runId} syncs:run',
      'POST /syncs/{entity}/runs/{runId}/accept syncs:run',
      'GET /syncs/{entity}/snapshot syncs:read cursor',
      'GET /syncs/{entity}/changes syncs:read since limit cursor',
    ])
  })

  it.each(syncRoutes.map(({ name, method, path }) => [`${method} ${path}`, name]))(
    '%s is handled as %s',
    async (routeKey, name) => {
      const responses = { [name]: async () => ({ status: 200, body: { name } }) } as unknown as Responders
      const event = { routeKey, rawQueryString: '', headers: {}, requestContext: { requestId: 'r' } }
      const result = await createSyncApi(responses)(event as unknown as APIGatewayProxyEventV2)
      expect(result).toMatchObject({ statusCode: 200, body: JSON.stringify({ name }) })
    },
  )

  it('refuse a query parameter that they do not have', async () => {
    const respond = async (): Promise<SyncResponse> => ({ status: 200, body: {} })
    const { statusCode, body } = await call(respond, { rawQueryString: 'limit=5' })
    expect(statusCode).toBe(400)
    expect(JSON.parse(body ?? '')).toMatchObject({ parameter: 'limit' })
  })

  it('do not include another method and path, which is a 404', async () => {
    const { statusCode, body } = await call(failing('unused'), { routeKey: 'PUT /syncs' })
    expect(statusCode).toBe(404)
    expect(JSON.parse(body ?? '')).toMatchObject({
      type: 'urn:longshore:problem:not-found',
      detail: 'No route has this method and path.',
    })
    expect(loggedLine()).toMatchObject({ route: 'unknown', status: 404, problem: 'not-found' })
  })
})

describe('a response', () => {
  it('must not be stored by a cache, unless it has an ETag', async () => {
    expect(await call(async () => ({ status: 202, body: { a: 1 } }))).toEqual({
      statusCode: 202,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: '{"a":1}',
      isBase64Encoded: false,
    })
    const tagged = await call(async () => ({ status: 200, body: {}, etag: '"tip"' }))
    expect(tagged.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
      etag: '"tip"',
    })
  })

  it('is compressed if the caller accepts it', async () => {
    const body = { text: 'a'.repeat(2_000) }
    const headers = { 'accept-encoding': 'gzip' }
    const result = await call(async () => ({ status: 200, body }), { headers })
    expect(result.headers).toMatchObject({ 'content-encoding': 'gzip' })
    expect(JSON.parse(gunzipSync(Buffer.from(result.body ?? '', 'base64')).toString())).toEqual(body)
  })

  it('that the caller already has is a 304 without a body, with the headers for caches', async () => {
    const result = await call(async () => ({ status: 304, etag: '"tip"' }))
    const headers = { etag: '"tip"', 'cache-control': 'private, no-cache', vary: 'accept-encoding' }
    expect(result).toEqual({ statusCode: 304, headers })
  })

  it('that is too large for Lambda is a 502 that names the fix', async () => {
    const text = 'a'.repeat(7_000_000)
    const { statusCode, body } = await call(async () => ({ status: 200, body: { text } }))
    expect(statusCode).toBe(502)
    expect(JSON.parse(body ?? '')).toMatchObject({
      type: 'urn:longshore:problem:response-too-large',
      detail: 'The response is larger than 6 MB, the limit of a Lambda function. Send Accept-Encoding: gzip.',
    })
  })
})

describe('the log line of a request', () => {
  it('has the route, the run, the duration and the ids of the request', async () => {
    vi.useFakeTimers({ now: 1_000 })
    const respond = async (): Promise<SyncResponse> => {
      vi.setSystemTime(1_250)
      return { status: 202, body: {}, runId: 'run-1' }
    }
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    await call(respond, { routeKey: 'POST /syncs/{entity}', headers })
    expect(print).toHaveBeenCalledTimes(1)
    expect(loggedLine()).toMatchObject({
      level: 'INFO',
      route: 'POST /syncs/{entity}',
      status: 202,
      durationMs: 250,
      requestId: 'request-1',
      correlationId: traceId,
      runId: 'run-1',
    })
  })

  it('has no run if the request started or cancelled none', async () => {
    await call(async () => ({ status: 200, body: {} }))
    expect(loggedLine()).not.toHaveProperty('runId')
    expect(loggedLine()).not.toHaveProperty('problem')
  })
})

describe('a request that fails', () => {
  it('for a reason that the caller can fix returns that reason', async () => {
    const { statusCode, body } = await call(
      failing(new ProblemError('run-ended', 'It ended.', { runId: 'r' })),
    )
    expect(statusCode).toBe(409)
    expect(JSON.parse(body ?? '')).toMatchObject({ detail: 'It ended.', runId: 'r' })
    expect(loggedLine()).toMatchObject({ level: 'INFO', status: 409, problem: 'run-ended' })
    expect(loggedLine()).not.toHaveProperty('error')
  })

  it('unexpectedly is a 500 without the error, which is logged', async () => {
    const { statusCode, body } = await call(failing(new TypeError('a secret')))
    expect(statusCode).toBe(500)
    expect(body).not.toContain('a secret')
    expect(JSON.parse(body ?? '').detail).toContain('apigw-requestid')
    expect(loggedLine()).toMatchObject({
      level: 'ERROR',
      problem: 'internal-error',
      error: { name: 'TypeError', message: 'a secret' },
    })
  })

  it('since a newer release wrote the state names the fix', async () => {
    const error = new UnknownItemVersion({ pk: 'a', sk: 'b' }, 2)
    const { statusCode, body } = await call(failing(error))
    expect(statusCode).toBe(500)
    expect(JSON.parse(body ?? '')).toMatchObject({
      type: 'urn:longshore:problem:internal-error',
      detail: error.message,
    })
    expect(loggedLine()).toMatchObject({ problem: 'internal-error', error: { name: 'UnknownItemVersion' } })
  })
})
