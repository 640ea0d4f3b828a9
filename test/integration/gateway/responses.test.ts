import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { maxResultBytes } from '../../../functions/http/result.ts'
import type { Served } from '../../../local/embedded/listen.ts'
import { startGateway } from '../../../local/gateway/gateway.ts'
import { useGateway } from './running-gateway.ts'

const { call, event, handler } = useGateway()

describe('the response', () => {
  const serverError = '{"message":"Internal Server Error"}'
  const shortHandler = vi.fn<() => Promise<unknown>>()
  let hasty: Served
  beforeAll(async () => {
    const route = { method: 'GET', path: '/', handler: shortHandler }
    hasty = await startGateway({ routes: [route], functionTimeoutSeconds: 0.1, integrationTimeoutMs: 200 })
  })
  afterAll(() => hasty.close())

  it('has the status, headers, cookies and bytes of the function’s result', async () => {
    handler.mockResolvedValue({
      statusCode: 202,
      headers: { 'Content-Type': 'application/json', 'X-N': 1, 'Content-Length': '99', Connection: 'close' },
      cookies: ['a=1; Secure', 'b=2'],
      body: Buffer.from('{"é":1}').toString('base64'),
      isBase64Encoded: true,
    })
    const received = await call('/syncs/CL')
    expect(received).toMatchObject({ status: 202, body: '{"é":1}' })
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'x-n': '1',
      'set-cookie': ['a=1; Secure', 'b=2'],
    })
  })

  it.each([
    ['an object without a status', { ok: true }, 200, '{"ok":true}', 'application/json'],
    ['a string', 'text', 200, 'text', 'application/json'],
    ['no content type', { statusCode: 201, body: 'x' }, 201, 'x', 'text/plain;charset=UTF-8'],
    ['a value that is not a status', { statusCode: 'x' }, 500, serverError, 'application/json'],
    ['a body that is not a string', { statusCode: 200, body: {} }, 500, serverError, 'application/json'],
  ])('for %s', async (...[, received, status, body, type]) => {
    handler.mockResolvedValue(received)
    expect(await call('/syncs/CL')).toMatchObject({ status, body, headers: { 'content-type': type } })
  })

  it('is a 500 without a reason if the function throws or returns more than Lambda allows', async () => {
    const body = 'x'.repeat(maxResultBytes - '{"statusCode":200,"body":""}'.length)
    handler.mockResolvedValueOnce({ statusCode: 200, body })
    expect(await call('/syncs/CL')).toMatchObject({ status: 200 })
    handler.mockRejectedValueOnce(new Error('secret'))
    handler.mockResolvedValueOnce({ statusCode: 200, body: `${body}x` })
    for (const received of [await call('/syncs/CL'), await call('/syncs/CL')])
      expect(received).toMatchObject({ status: 500, body: serverError })
  })

  it('is a 500 if the function times out', async () => {
    shortHandler.mockReturnValue(new Promise(() => undefined))
    expect(await call('/', {}, hasty)).toMatchObject({ status: 500, body: serverError })
  })

  it('is a 503 if API Gateway times out before the function', async () => {
    const route = { method: 'GET', path: '/', handler: shortHandler }
    const impatient = await startGateway({ routes: [route], integrationTimeoutMs: 50 })
    const received = await call('/', {}, impatient)
    await impatient.close()
    expect(received).toMatchObject({ status: 503, body: '{"message":"Service Unavailable"}' })
  })
})

it('every response has the request id of the event', async () => {
  const { headers } = await call('/docks/a')
  expect(headers['apigw-requestid']).toBe(event().requestContext.requestId)
  expect((await call('/elsewhere')).headers['apigw-requestid']).toMatch(/^[0-9a-f-]{36}$/)
})

it('a route of several segments receives what no other route matches, and pages are shown before it', async () => {
  const unmatched = vi
    .fn<(event: APIGatewayProxyEventV2) => Promise<unknown>>()
    .mockResolvedValue({ statusCode: 405 })
  const page = (path: string) =>
    path === '/page' ? { status: 200, headers: {}, body: Buffer.from('a page') } : undefined
  const methods = ['GET', 'HEAD', 'DELETE'].map((method) => ({
    method,
    path: '/{proxy+}',
    handler: unmatched,
  }))
  const greedy = await startGateway({
    page,
    routes: [...methods, { method: 'GET', path: '/docks/{dockId}', handler }],
  })
  const status = async (path: string, method = 'GET') => (await call(path, { method }, greedy)).status
  expect([await status('/docks/a'), await status('/page')]).toEqual([200, 200])
  expect(unmatched).not.toHaveBeenCalled()
  expect([
    await status('/docks/a', 'DELETE'),
    await status('/docks/a/b'),
    await status('/page', 'HEAD'),
  ]).toEqual([405, 405, 405])
  expect(
    unmatched.mock.calls.map(([{ routeKey, rawPath, pathParameters }]) => [
      routeKey,
      rawPath,
      pathParameters?.['proxy'],
    ]),
  ).toEqual([
    ['DELETE /{proxy+}', '/docks/a', 'docks/a'],
    ['GET /{proxy+}', '/docks/a/b', 'docks/a/b'],
    ['HEAD /{proxy+}', '/page', 'page'],
  ])
  expect(await status('/', 'GET')).toBe(404)
  await greedy.close()
})
