import type http from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../../lib/config.ts'
import { corsOf } from '../../../lib/cors.ts'
import type { Served } from '../../../local/embedded/listen.ts'
import { startGateway } from '../../../local/gateway/gateway.ts'
import { useGateway } from './running-gateway.ts'

const { call, handler, routes, served } = useGateway()

describe('browsers with pages of other origins', () => {
  const origin = 'https://app.example.com'
  const asks = (from: string, method: string) => ({
    origin: from,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,rest-range',
  })
  const corsHeadersOf = ({ headers }: { headers: http.IncomingHttpHeaders }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

  const configured = (cors: string[]) =>
    resolveConfig({ upstream: { baseUrl: 'https://shop.example.com', headerPrefix: 'X-Shop' }, cors })

  let open: Served
  let toAll: Served
  beforeAll(async () => {
    open = await startGateway({ routes, cors: corsOf(configured([origin])) })
    toAll = await startGateway({ routes, cors: corsOf(configured(['*'])) })
  })
  afterAll(() => Promise.all([open.close(), toAll.close()]))

  it.each(['/docks/a', '/elsewhere'])(
    'get a response to the preflight of %s that lists what they may send',
    async (path) => {
      const received = await call(path, { method: 'OPTIONS', headers: asks(origin, 'PATCH') }, open)
      expect(received).toMatchObject({ status: 204, body: '' })
      expect(corsHeadersOf(received)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
        'access-control-allow-headers':
          'authorization,content-type,idempotency-key,if-none-match,rest-range,traceparent,x-amz-content-sha256,x-amz-date,x-amz-security-token',
        'access-control-max-age': '3600',
      })
      expect(handler).not.toHaveBeenCalled()
    },
  )

  it('may read responses and errors, with the headers that a caller needs', async () => {
    handler.mockResolvedValue({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' } })
    for (const path of ['/docks/a', '/elsewhere']) {
      const received = await call(path, { headers: { origin } }, open)
      expect(received.headers['access-control-allow-origin']).toBe(origin)
      expect(received.headers['access-control-expose-headers']?.split(',')).toEqual(
        expect.arrayContaining([
          'apigw-requestid',
          'idempotency-replayed',
          'link',
          'rest-content-range',
          'rest-content-total',
          'retry-after',
          'x-shop-md-token',
        ]),
      )
    }
  })

  it.each([
    ['an origin that is not configured', () => open, 'https://app.example.com.evil.example', {}],
    ['an origin in other letters', () => open, 'HTTPS://APP.EXAMPLE.COM', {}],
    ['no origin', () => open, undefined, {}],
    ['an API without origins', served, origin, {}],
    ['an API for all', () => toAll, 'https://other.example', { 'access-control-allow-origin': '*' }],
  ])('%s', async (...[, api, from, expected]) => {
    handler.mockResolvedValue({ statusCode: 200, headers: {} })
    const headers = from === undefined ? {} : { origin: from }
    const { 'access-control-expose-headers': exposed, ...rest } = corsHeadersOf(
      await call('/docks/a', { headers }, api()),
    )
    expect(rest).toEqual(expected)
    expect(exposed !== undefined).toBe('access-control-allow-origin' in expected)
  })

  it('get no permission if no origin or another one is configured', async () => {
    const question = { method: 'OPTIONS', headers: asks('https://evil.example', 'GET') }
    expect(corsHeadersOf(await call('/docks/a', question, open))).toEqual({})
    expect(await call('/docks/a', question)).toMatchObject({ status: 403 })
  })

  it('are never allowed to send cookies', async () => {
    for (const api of [open, toAll]) {
      const question = { method: 'OPTIONS', headers: asks(origin, 'GET') }
      const results = [
        await call('/docks/a', question, api),
        await call('/docks/a', { headers: { origin } }, api),
      ]
      for (const { headers } of results)
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })
})
