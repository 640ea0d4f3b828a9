import { describe, expect, it } from 'vitest'
import { useGateway } from './running-gateway.ts'

const { call, event, served } = useGateway()

describe('the event of a request', () => {
  it.each([
    ['/docks/a%20b%C3%A9%2B', '/docks/a bé+', { dockId: 'a bé+' }],
    ['/docks/100%25', '/docks/100%', { dockId: '100%' }],
    ['/docks/%252F', '/docks/%2F', { dockId: '%2F' }],
    ['/docks/a%23b', '/docks/a#b', { dockId: 'a#b' }],
    ['/docks/a%3Fb=c', '/docks/a', { dockId: 'a' }],
    ['/docks/%2e%2e', '/docks/..', { dockId: '..' }],
    ['/syncs/CL/runs/7', '/syncs/CL/runs/7', { entity: 'CL', runId: '7' }],
    ['/syncs/all', '/syncs/all', undefined],
  ])('for %s has the path %s', async (path, rawPath, pathParameters) => {
    await call(path)
    expect(event()).toMatchObject({ rawPath, requestContext: { http: { path: rawPath } } })
    expect(event().pathParameters).toEqual(pathParameters)
  })

  it('has the query as sent, and also decoded with repeated parameters joined', async () => {
    await call('/syncs/CL?a=1%2B&b=x+y&a=%20?')
    expect(event().rawQueryString).toBe('a=1%2B&b=x+y&a=%20?')
    expect(event().queryStringParameters).toEqual({ a: '1+, ?', b: 'x y' })
  })

  it('has lower-case headers with repeated ones joined, and cookies in a list of their own', async () => {
    await call('/syncs/CL', { headers: { 'X-One': ['1', '2'], Cookie: 'a=1; b=2' } })
    expect(event().headers).toMatchObject({ 'x-one': '1,2', 'x-forwarded-proto': 'http' })
    expect(event().headers).not.toHaveProperty('cookie')
    expect(event().cookies).toEqual(['a=1', 'b=2'])
  })

  it('describes where and how the request was received', async () => {
    await call('/syncs/CL', { headers: { 'User-Agent': 'test/1' } })
    const { host } = new URL(served().endpoint)
    expect(event()).toMatchObject({
      version: '2.0',
      routeKey: 'GET /syncs/{entity}',
      requestContext: {
        domainName: host,
        stage: '$default',
        routeKey: 'GET /syncs/{entity}',
        http: { method: 'GET', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test/1' },
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/) as string,
        authorizer: { iam: { userArn: expect.stringContaining('local') as string } },
      },
    })
  })

  it.each([
    ['application/json', '{"é":1}', { body: '{"é":1}', isBase64Encoded: false }],
    ['text/plain; charset=utf-8', 'x', { body: 'x', isBase64Encoded: false }],
    ['application/vnd.api+json', '{}', { body: 'e30=', isBase64Encoded: true }],
    ['application/octet-stream', Buffer.from([0, 255]), { body: 'AP8=', isBase64Encoded: true }],
    ['application/json', '', { body: undefined, isBase64Encoded: false }],
  ])('of a %s body %j is %j', async (type, body, expected) => {
    await call('/docks/a', { method: 'PATCH', headers: { 'content-type': type }, body })
    expect({ body: event().body, isBase64Encoded: event().isBase64Encoded }).toEqual(expected)
  })
})
