import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { endpoints } from '../../functions/platform/endpoints.ts'
import { createProxy, type ProxyEvent, type WithIdempotency } from '../../functions/proxy/proxy.ts'
import { createUpstream } from '../../functions/upstream/client.ts'
import { cacheCredentials } from '../../functions/upstream/credential-cache.ts'

export type Responder = (response: ServerResponse, request: IncomingMessage) => void

export interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * An HTTP server in place of the platform, for the tests of one file: records requests and responds as a test defines.
 */
export function scriptedUpstream() {
  const state = { received: [] as Received[], respond: respondWithEmptyObject }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      state.received.push({ method, url, headers, body: Buffer.concat(chunks) })
      state.respond(response, request)
    })
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => {
    state.received.length = 0
    state.respond = respondWithEmptyObject
    vi.spyOn(console, 'log').mockReturnValue()
  })
  afterEach(() => void vi.restoreAllMocks())
  return Object.assign(state, { host: () => `127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const respondWithEmptyObject: Responder = (response) => response.end('{}')

const credentialsSecret = JSON.stringify({ appKey: 'the-app-key', appToken: 'the-app-token' })

/** The API proxy for the platform at `baseUrl`, with the real HTTP client and the real credential cache. */
export function testProxy(options: {
  readonly baseUrl: string
  readonly headerPrefix?: string
  readonly secret?: string
  readonly timeoutSeconds?: number
  readonly withIdempotency?: WithIdempotency
  readonly redact?: (text: string) => string
}) {
  const { baseUrl, headerPrefix = 'X-Shop', secret = credentialsSecret, timeoutSeconds = 5 } = options
  const searchPath = '/api/dataentities/{data_entity}/search'
  const settings = { baseUrl, headerPrefix, searchPath, timeoutSeconds }
  const credentials = cacheCredentials({
    secretIds: { logistics: 'one', subscriptions: 'one', documents: 'one' },
    read: async () => ({ value: secret, version: '1' }),
  })
  const proxy = createProxy({
    settings,
    validation: 'strict',
    endpoints,
    upstream: {
      ...createUpstream({ settings, credentials }),
      ...(options.redact && { redact: options.redact }),
    },
    withIdempotency: options.withIdempotency ?? ((_, perform) => perform()),
    wait: async () => undefined,
  })
  return async (event: ProxyEvent) => {
    const result = await proxy(event, { getRemainingTimeInMillis: () => 29_000 })
    const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
    return { ...result, bytes, problem: () => JSON.parse(bytes.toString()) }
  }
}

const event = (routeKey: string, more: Partial<ProxyEvent>): ProxyEvent => ({
  routeKey,
  rawPath: '/',
  rawQueryString: '',
  headers: {},
  isBase64Encoded: false,
  requestContext: { requestId: 'request-1' },
  ...more,
})

export const dock = (more: Partial<ProxyEvent> = {}) =>
  event('GET /api/logistics/pvt/configuration/docks/{dockId}', { pathParameters: { dockId: '1' }, ...more })
export const search = (more: Partial<ProxyEvent> = {}) =>
  event('GET /api/dataentities/{data_entity}/search', { pathParameters: { data_entity: 'CL' }, ...more })
export const scroll = (more: Partial<ProxyEvent> = {}) =>
  event('GET /api/dataentities/{data_entity}/scroll', { pathParameters: { data_entity: 'CL' }, ...more })
export const patch = (more: Partial<ProxyEvent> = {}) =>
  event('PATCH /api/rns/subscriptions/{subscriptionId}', {
    pathParameters: { subscriptionId: 's1' },
    headers: { 'content-type': 'application/json' },
    body: '{"item":{"quantity":2}}',
    ...more,
  })
export const patchGroup = (more: Partial<ProxyEvent> = {}) =>
  event('PATCH /api/rns/subscriptions-group/{groupId}', {
    pathParameters: { groupId: 'g1' },
    headers: { 'content-type': 'application/json' },
    body: '{"item":[{"sku":{"id":"1"},"quantity":2}]}',
    ...more,
  })
