import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { maxResultBytes } from '../../../functions/http/result.ts'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { createProxy, type ProxyEvent, type WithIdempotency } from '../../../functions/proxy/proxy.ts'
import type { UpstreamRequest } from '../../../functions/upstream/client.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/errors.ts'
import type { UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { endpoint } from './request/refusal.ts'

const settings = {
  baseUrl: 'https://platform.example',
  headerPrefix: 'X-SVC',
  searchPath: '/v2/{data_entity}/find/{data_entity}',
  timeoutSeconds: 25,
}

const responded = (status: number, body = '{}', headers: Record<string, string> = {}): UpstreamResponse => ({
  status,
  headers,
  body: Buffer.from(body),
})

function eventFor(name: string, more: Partial<ProxyEvent> = {}): ProxyEvent {
  const { method, path, pathParameter, body } = endpoint(name)
  return {
    routeKey: `${method} ${path}`,
    pathParameters: { [pathParameter]: 'a b' },
    rawPath: '/',
    rawQueryString: '',
    headers: body === 'none' ? {} : { 'content-type': 'application/json' },
    isBase64Encoded: false,
    requestContext: { requestId: 'request-1' },
    ...(body !== 'none' && { body: '{}' }),
    ...more,
  }
}

const exchangeMs = 7

/** A proxy in front of a platform that returns one outcome after the other, and repeats the last one. */
function start(
  outcomes: readonly (UpstreamResponse | Error)[],
  change: Partial<Parameters<typeof createProxy>[0]> = {},
) {
  const requests: UpstreamRequest[] = []
  const proxy = createProxy({
    settings,
    validation: 'strict',
    upstream: {
      async send(request) {
        const outcome = outcomes[Math.min(requests.length, outcomes.length - 1)]
        requests.push(request)
        request.usage?.exchangesMs.push(exchangeMs)
        request.usage?.faults.push(0)
        if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('nothing to answer')
        return outcome
      },
      redact: (text) => text.replaceAll('the-app-token', '[redacted]'),
    },
    withIdempotency: (_, perform) => perform(),
    ...change,
  })
  const send = (event: ProxyEvent, functionLeftMs = 29_000) =>
    proxy(event, { getRemainingTimeInMillis: () => functionLeftMs })
  return { requests, send }
}

async function call(
  event: ProxyEvent,
  outcomes: readonly (UpstreamResponse | Error)[],
  functionLeftMs?: number,
) {
  const waits: number[] = []
  const { requests, send } = start(outcomes, { wait: async (ms) => waits.push(ms) })
  const result = await send(event, functionLeftMs)
  return { requests, waits, result, problem: JSON.parse(result.body ?? 'null') }
}

const lines: string[] = []
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  lines.length = 0
})

describe('the request to the platform', () => {
  test.each([
    ['read-dock', 'GET', '/api/logistics/pvt/configuration/docks/a%20b', 'logistics', false],
    ['update-subscription-group', 'PATCH', '/api/rns/subscriptions-group/a%20b', 'subscriptions', true],
    ['update-subscription', 'PATCH', '/api/rns/subscriptions/a%20b', 'subscriptions', true],
    ['search-documents', 'GET', '/v2/a%20b/find/a%20b', 'documents', false],
    ['scroll-documents', 'GET', '/api/dataentities/a%20b/scroll', 'documents', true],
  ])('%s is %s %s with the credentials for %s', async (name, ...[method, target, area, onceOnly]) => {
    const { requests, result } = await call(eventFor(name), [responded(200)])
    expect(result.statusCode).toBe(200)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method, target, area, onceOnly, maxBytes: maxResultBytes })
  })

  test('has no body for a GET and the caller’s body for a PATCH', async () => {
    const body = Buffer.from('{ "n": 1.0 }').toString('base64')
    const dock = await call(eventFor('read-dock', { body, isBase64Encoded: true }), [responded(200)])
    expect(dock.requests[0]).not.toHaveProperty('body')
    const patch = await call(eventFor('update-subscription', { body, isBase64Encoded: true }), [
      responded(200),
    ])
    expect(patch.requests[0]?.body?.toString()).toBe('{ "n": 1.0 }')
  })

  test('keeps $ signs in a path value', async () => {
    const { requests } = await call(eventFor('read-dock', { pathParameters: { dockId: "$&$'" } }), [
      responded(200),
    ])
    expect(requests[0]?.target).toMatch(/docks\/%24%26%24'$/)
  })

  test('is not sent if a rule refuses it', async () => {
    const { requests, problem } = await call(eventFor('read-dock', { rawQueryString: 'a=1' }), [
      responded(200),
    ])
    expect(requests).toHaveLength(0)
    expect(problem).toMatchObject({ status: 400, parameter: 'a' })
  })

  test('is not sent for a route that is not in the table', async () => {
    const { requests, problem } = await call(eventFor('read-dock', { routeKey: '$default' }), [
      responded(200),
    ])
    expect(requests).toHaveLength(0)
    expect(problem).toMatchObject({
      type: 'urn:longshore:problem:not-found',
      status: 404,
      detail: 'No route has this path. GET /openapi.json lists all routes.',
    })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route: 'unknown', status: 404, tries: 0 })
  })

  const throughGreedyRoute = (proxy: string) =>
    eventFor('search-documents', {
      routeKey: 'GET /api/dataentities/{data_entity}/{proxy+}',
      pathParameters: { data_entity: 'CL', proxy },
      rawQueryString: 'a=1',
    })

  test.each(['search/', 'search'])('is that of a search for the path %s of a greedy route', async (rest) => {
    const { requests } = await call(throughGreedyRoute(rest), [responded(200)])
    expect(requests[0]?.target).toBe('/v2/CL/find/CL?a=1')
    const route = 'GET /api/dataentities/{data_entity}/search'
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ route, status: 200 })
  })

  test.each(['search//', 'search/x', 'searches/', 'scroll/', 'documents', ''])(
    'is not sent for the path %j of a greedy route',
    async (rest) => {
      const { requests, problem } = await call(throughGreedyRoute(rest), [responded(200)])
      expect(requests).toHaveLength(0)
      expect(problem).toMatchObject({ type: 'urn:longshore:problem:not-found', status: 404 })
    },
  )
})

describe('retries', () => {
  const unreachable = new UpstreamFailure('unreachable')
  const interrupted = new UpstreamFailure('interrupted')

  test.each<[string, (UpstreamResponse | Error)[], number, number]>([
    ['read-dock', [responded(503)], 4, 503],
    ['search-documents', [responded(502)], 4, 502],
    ['read-dock', [interrupted, responded(504), responded(200)], 3, 200],
    ['search-documents', [unreachable, responded(429), responded(404)], 3, 404],
    ['read-dock', [responded(500)], 1, 500],
    ['scroll-documents', [responded(503)], 1, 503],
    ['scroll-documents', [interrupted], 1, 502],
    ['scroll-documents', [responded(429), responded(200)], 2, 200],
    ['scroll-documents', [unreachable], 4, 502],
    ['update-subscription', [responded(429)], 4, 429],
    ['update-subscription', [unreachable, responded(200)], 2, 200],
    ['update-subscription', [responded(429), interrupted], 2, 502],
    ['update-subscription-group', [responded(503)], 1, 503],
    ['update-subscription-group', [interrupted], 1, 502],
  ])('%s %#: tries and final status', async (name, ...[outcomes, tries, status]) => {
    const { requests, waits, result } = await call(eventFor(name), outcomes)
    expect([requests.length, result.statusCode]).toEqual([tries, status])
    expect(waits).toHaveLength(tries - 1)
  })

  test('each have the time that is left', async () => {
    const { requests } = await call(eventFor('read-dock'), [responded(503)], 10_000)
    for (const { totalMs } of requests) {
      expect(totalMs).toBeLessThanOrEqual(9_000)
      expect(totalMs).toBeGreaterThan(8_000)
    }
  })

  test('wait as long as Retry-After requires', async () => {
    const { waits } = await call(eventFor('scroll-documents'), [
      responded(429, '', { 'retry-after': '7' }),
      responded(200),
    ])
    expect(waits).toEqual([7_000])
  })

  test('wait with a timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const { requests, send } = start([responded(429, '', { 'retry-after': '7' }), responded(200)])
    const result = send(eventFor('scroll-documents'))
    await vi.advanceTimersByTimeAsync(6_999)
    expect(requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect((await result).statusCode).toBe(200)
  })

  test('are not made if Retry-After is too long: the response is relayed', async () => {
    const tooLong = responded(429, '"later"', { 'retry-after': '60' })
    const { requests, result } = await call(eventFor('read-dock'), [tooLong])
    expect(requests).toHaveLength(1)
    expect(result).toMatchObject({ statusCode: 429, body: '"later"', headers: { 'retry-after': '60' } })
  })
})

test('a response is compressed for a caller that accepts gzip', async () => {
  const event = eventFor('read-dock', { headers: { 'accept-encoding': 'gzip' } })
  const { send } = start([responded(200, 'x'.repeat(2_000))])
  expect(await send(event)).toMatchObject({ headers: { 'content-encoding': 'gzip' }, isBase64Encoded: true })
})

describe('an Idempotency-Key', () => {
  const headers = { 'content-type': 'application/json' }
  const withKey = { ...headers, 'idempotency-key': 'key-1' }

  test.each([
    ['missing on a PATCH: the request is sent', 'update-subscription', headers, { sent: 1, keys: 0 }],
    ['new on a PATCH: the request is sent', 'update-subscription', withKey, { sent: 1, keys: 1 }],
    ['used on a PATCH: nothing is sent', 'update-subscription', withKey, { sent: 0, keys: 1 }],
    ['ignored on a GET', 'read-dock', withKey, { sent: 1, keys: 0 }],
  ])('is %s', async (_, ...[name, headers, expected]) => {
    let keys = 0
    const replayed = { statusCode: 208, headers: {} }
    const withIdempotency: WithIdempotency = async (_key, perform) => {
      keys++
      return expected.sent === 0 ? replayed : perform()
    }
    const { requests, send } = start([responded(200)], { withIdempotency })
    const { statusCode } = await send(eventFor(name, { headers }))
    expect({ sent: requests.length, keys }).toEqual(expected)
    expect(statusCode).toBe(expected.sent === 0 ? 208 : 200)
  })
})

describe('failures', () => {
  const gets = ['read-dock', 'search-documents', 'scroll-documents']
  const patches = ['update-subscription', 'update-subscription-group']

  test.each([
    ['unreachable', 'upstream-unreachable', 502],
    ['interrupted', 'upstream-interrupted', 502],
    ['timeout', 'upstream-timeout', 504],
    ['too-large', 'response-too-large', 502],
  ] as const)('%s is %s', async (kind, name, status) => {
    for (const entry of endpoints) {
      const { result, problem } = await call(eventFor(entry.name), [new UpstreamFailure(kind)])
      expect(result.headers).toEqual({ 'content-type': 'application/problem+json' })
      expect(problem).toMatchObject({ type: `urn:longshore:problem:${name}`, status })
      expect(problem.title).not.toBe('')
    }
  })

  test.each(['timeout', 'interrupted'] as const)(
    'after %s the problem of a PATCH reports an unknown outcome',
    async (kind) => {
      for (const name of patches) {
        const { problem } = await call(eventFor(name), [new UpstreamFailure(kind)])
        expect(problem).toMatchObject({
          outcome: 'unknown',
          detail: expect.stringContaining('outcome is unknown'),
        })
      }
      for (const name of gets) {
        expect((await call(eventFor(name), [new UpstreamFailure(kind)])).problem).not.toHaveProperty(
          'outcome',
        )
      }
    },
  )

  test.each(['timeout', 'interrupted'] as const)(
    'after %s the problem of a scroll tells the caller to start a new one',
    async (kind) => {
      const { problem } = await call(eventFor('scroll-documents'), [new UpstreamFailure(kind)])
      expect(problem.detail).toMatch(/cursor.*new scroll/)
    },
  )

  test('credentials that are not set: the problem names the command that sets them', async () => {
    const error = new CredentialsError('not-set', 'arn:aws:secretsmanager:eu:1:secret:keys')
    const { requests, result, problem } = await call(eventFor('read-dock'), [error])
    expect(requests).toHaveLength(1)
    expect(problem).toMatchObject({ type: 'urn:longshore:problem:credentials-not-set', status: 503 })
    expect(problem.detail).toContain('aws secretsmanager put-secret-value')
    expect(result.body).not.toContain('arn:')
  })

  test('credentials that cannot be read: only the log has the reason', async () => {
    const cause = new Error('arn:aws:iam::1:role/x may not')
    const { result, problem } = await call(eventFor('read-dock'), [
      new CredentialsError('unreadable', 'keys of secret prod/shop', { cause }),
    ])
    expect(problem).toMatchObject({ type: 'urn:longshore:problem:credentials-unreadable', status: 503 })
    expect(result.body).not.toMatch(/arn:|prod\/shop/)
    expect(lines[0]).toContain('role/x may not')
  })

  test('an unexpected error: only the log describes it', async () => {
    const { result, problem } = await call(eventFor('read-dock'), [new TypeError('x is not a function')])
    expect(problem).toMatchObject({ type: 'urn:longshore:problem:internal-error', status: 500 })
    expect(result.body).not.toMatch(/not a function|\.ts/)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'ERROR',
      error: {
        name: 'TypeError',
        message: 'x is not a function',
        stack: expect.stringContaining('proxy.test.ts'),
      },
    })
  })
})

describe('the log', () => {
  test('has one line for each request', async () => {
    await call(eventFor('search-documents'), [responded(429), responded(404)])
    expect(lines).toHaveLength(1)
    const { _aws, ...line } = JSON.parse(lines[0] ?? '')
    expect(line).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'INFO',
      message: 'request',
      route: 'GET /api/dataentities/{data_entity}/search',
      status: 404,
      durationMs: expect.toSatisfy((ms: number) => ms >= 0 && ms < 10_000),
      requestId: 'request-1',
      correlationId: 'request-1',
      upstreamStatus: 404,
      tries: 2,
      upstreamMs: 2 * exchangeMs,
      secretMs: expect.any(Number),
      Area: 'documents',
      CallMs: line.durationMs,
      UpstreamMs: [exchangeMs, exchangeMs],
      UpstreamFault: [0, 0],
    })
  })

  test('names the problem of a failed request and its cause', async () => {
    await call(eventFor('update-subscription'), [
      new UpstreamFailure('timeout', { cause: new Error('too slow') }),
    ])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'WARN',
      status: 504,
      problem: 'upstream-timeout',
      error: { name: 'UpstreamFailure', cause: { message: 'too slow' } },
    })
  })

  test('names the host of a redirect, which the caller does not learn', async () => {
    const moved = responded(301, '', { location: 'https://www.shop.example/login?session=s3cret' })
    const { result } = await call(eventFor('read-dock'), [moved])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      problem: 'upstream-redirect',
      error: { message: 'The platform redirects to www.shop.example.' },
    })
    expect(lines[0]).not.toContain('s3cret')
    expect(String(result.body)).not.toContain('shop.example')
  })

  test('never contains what the caller sent', async () => {
    const canary = 'canary-7f3a'
    const more = {
      pathParameters: { data_entity: canary, subscriptionId: canary },
      headers: {
        'content-type': 'application/json',
        accept: canary,
        authorization: canary,
        'rest-range': canary,
      },
      body: `{"${canary}":`,
    }
    await call(eventFor('search-documents', { ...more, rawQueryString: `a=${canary}` }), [
      responded(200, canary),
    ])
    await call(eventFor('search-documents', { ...more, rawQueryString: `_size=${canary}` }), [responded(200)])
    await call(eventFor('update-subscription', more), [responded(200)])
    await call(eventFor('update-subscription', { ...more, body: '{}' }), [new UpstreamFailure('timeout')])
    expect(lines).toHaveLength(4)
    expect(lines.join()).not.toContain(canary)
  })
})
