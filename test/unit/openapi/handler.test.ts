import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settingsFileName } from '../../../functions/runtime/environment.ts'
import { resolveConfig, settingsOf } from '../../../lib/config.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longshore-'))
  vi.stubEnv('LAMBDA_TASK_ROOT', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

test('a deployed API describes its own configuration and logs the request', async () => {
  const configuration = resolveConfig({
    name: 'Shop',
    upstream: { baseUrl: 'https://shop.example.com', headerPrefix: 'X-VENDOR', account: 'my-shop' },
    auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },
    entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
  })
  writeFileSync(join(folder, settingsFileName), JSON.stringify(settingsOf(configuration)))
  const logged = vi.spyOn(console, 'log').mockImplementation(() => undefined)

  const { handler } = await import('../../../functions/openapi/handler.ts')
  const asked = (headers: Record<string, string>) =>
    handler({
      routeKey: 'GET /openapi.json',
      rawQueryString: '',
      headers,
      requestContext: { requestId: 'r-1' },
    } as unknown as APIGatewayProxyEventV2)
  const { statusCode, headers, body = '' } = await asked({})

  expect(statusCode).toBe(200)
  // It describes this deployment to callers whom API Gateway has let in: no shared cache may store it.
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': expect.stringMatching(/^private, /),
  })
  expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.1', info: { title: 'Shop' } })
  expect(body).toContain('"x-vendor-md-token"')
  expect(body).toContain('Configured data entity: CL')
  expect(body).toContain('"const":"my-shop"')
  // Callers must not learn the platform's address.
  expect(body).not.toContain('shop.example.com')
  expect(logged).toHaveBeenCalledOnce()
  expect(JSON.parse(logged.mock.calls[0]?.[0])).toMatchObject({
    message: 'request',
    route: 'GET /openapi.json',
    status: 200,
    requestId: 'r-1',
  })

  const refused = await handler({
    routeKey: 'HEAD /{proxy+}',
    rawPath: '/syncs/CL',
    rawQueryString: '',
    headers: {},
    requestContext: { requestId: 'r-2' },
  } as unknown as APIGatewayProxyEventV2)
  expect(refused).toMatchObject({ statusCode: 405, headers: { allow: 'GET, POST' } })
  expect(JSON.parse(logged.mock.calls[1]?.[0])).toMatchObject({ status: 405, problem: 'method-not-allowed' })

  const withQuery = await handler({
    routeKey: 'GET /openapi.json',
    rawPath: '/openapi.json',
    rawQueryString: 'format=yaml',
    headers: {},
    requestContext: { requestId: 'r-3' },
  } as unknown as APIGatewayProxyEventV2)
  expect(withQuery.statusCode).toBe(400)
  expect(JSON.parse(withQuery.body ?? '')).toMatchObject({ parameter: 'format' })

  const packed = await asked({ 'accept-encoding': 'gzip' })
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(gunzipSync(Buffer.from(packed.body ?? '', 'base64')).toString()).toBe(body)
  expect(packed.body?.length).toBeLessThan(body.length / 3)
})
