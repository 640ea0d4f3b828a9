import http from 'node:http'
import { afterAll, beforeAll } from 'vitest'
import { areasWith } from '../../functions/platform/areas.ts'
import { type ConfiguredEndpoint, endpointsWith } from '../../functions/platform/configured-endpoints.ts'
import { proxyRoutes } from '../../functions/platform/endpoints.ts'
import { createProxy } from '../../functions/proxy/proxy.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import { cacheCredentials } from '../../functions/upstream/credential-cache.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { startGateway } from '../../local/gateway/gateway.ts'

export interface Response {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  /** The body read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a document read as JSON has no types
  json(): any
}

export interface Call {
  readonly method?: 'GET' | 'PATCH'
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Buffer
}

/** The API proxy behind the local gateway, for the platform at `url()` and the tests of one file. */
export function proxyBehindGateway(options: {
  readonly url: () => string
  readonly timeoutSeconds?: number
  readonly account?: string
  readonly endpoints?: readonly ConfiguredEndpoint[]
}) {
  let gateway: Served
  beforeAll(async () => {
    const settings = {
      baseUrl: options.url(),
      headerPrefix: 'X-SVC',
      searchPath: '/api/dataentities/{data_entity}/search',
      timeoutSeconds: options.timeoutSeconds ?? 5,
      account: options.account,
    }
    const credentials = cacheCredentials({
      secretIds: Object.fromEntries(areasWith(options.endpoints ?? []).map((area) => [area, 'one'])),
      read: async () => ({ value: JSON.stringify({ appKey: 'key', appToken: 'token' }), version: '1' }),
    })
    const endpoints = endpointsWith(options.endpoints ?? [])
    const handler = createProxy({
      settings,
      validation: 'strict',
      endpoints,
      upstream: createUpstream({ settings, credentials }),
      withIdempotency: (_, perform) => perform(),
    })
    gateway = await startGateway({
      routes: proxyRoutes(endpoints).map(({ method, path }) => ({ method, path, handler })),
    })
  })
  afterAll(() => gateway.close())

  /** Does not follow redirects, decode bodies or normalize paths, as fetch would. */
  return (path: string, { method = 'GET', headers = {}, body }: Call = {}) => {
    const { hostname, port } = new URL(gateway.endpoint)
    return new Promise<Response>((done, fail) => {
      const request = http.request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', fail)
        response.on('end', () => {
          const whole = Buffer.concat(chunks)
          const status = response.statusCode ?? 0
          done({ status, headers: response.headers, body: whole, json: () => JSON.parse(whole.toString()) })
        })
      })
      request.on('error', fail)
      request.end(body)
    })
  }
}
