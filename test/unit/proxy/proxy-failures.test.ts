import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { call, captureLog, eventFor, exchangeMs, lines, responded, start } from './started-proxy.ts'

captureLog()

describe('failures', () => {
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
        stack: expect.stringContaining('proxy-failures.test.ts'),
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

  test('names who responded instead of the platform, and what to do, as the worker and doctor do', async () => {
    const page = responded(403, '<html><title>Blocked the-app-token</title>', { 'content-type': 'text/html' })
    expect((await start([page]).send(eventFor('read-dock'))).statusCode).toBe(403)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'WARN',
      upstreamStatus: 403,
      intermediary: expect.stringMatching(
        /^a firewall responded with 403 and an HTML page "Blocked \[redacted\]" \(allow Longshore's requests/,
      ),
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
