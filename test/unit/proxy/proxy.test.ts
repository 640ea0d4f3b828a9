import { beforeEach, describe, expect, test, vi } from 'vitest'
import { maxResultBytes } from '../../../functions/http/result.ts'
import type { WithIdempotency } from '../../../functions/proxy/proxy.ts'
import { UpstreamFailure, type UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { call, captureLog, eventFor, lines, responded, start } from './started-proxy.ts'

captureLog()

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
  // A random wait can be 0 ms, and then there is none.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0.5))
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

  test.each([
    ['is too long', '60', 29_000],
    ['leaves too little time for a response', '8', 9_200],
  ])('are not made if Retry-After %s: the response is relayed', async (_, retryAfter, functionLeftMs) => {
    const tooLong = responded(429, '"later"', { 'retry-after': retryAfter })
    const { requests, result } = await call(eventFor('read-dock'), [tooLong], functionLeftMs)
    expect(requests).toHaveLength(1)
    expect(result).toMatchObject({
      statusCode: 429,
      body: '"later"',
      headers: { 'retry-after': retryAfter },
    })
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

  test('stores the response without the credentials that the platform echoed', async () => {
    const stored: string[] = []
    const withIdempotency: WithIdempotency = async (_key, perform) => {
      const response = await perform()
      stored.push(String(response.body))
      return response
    }
    const { send } = start([responded(422, 'the-app-token is not allowed')], { withIdempotency })
    await send(eventFor('update-subscription', { headers: withKey }))
    expect(stored).toEqual(['[redacted] is not allowed'])
  })
})
