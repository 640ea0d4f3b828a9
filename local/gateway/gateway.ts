import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { parameterNames, pathPattern } from '../../functions/http/path-template.ts'
import type { Cors } from '../../lib/cors.ts'
import type { Served } from '../embedded/listen.ts'
import { invoke, type LambdaHandler } from '../lambda.ts'
import { isLoopbackHost, wrongHost } from '../loopback.ts'
import { preflightResponse, withCors } from './cors.ts'
import { decodePath, eventOf } from './event.ts'
import { type HttpResult, httpResultOf, jsonResult } from './gateway-result.ts'
import { listenAt, type Port } from './port.ts'

export interface GatewayOptions {
  readonly routes: readonly GatewayRoute[]
  /** Without it no page of another origin may call the API. */
  readonly cors?: Cors | undefined
  /** What handles some paths in place of the gateway. */
  readonly pages?: PageServer
  /** Pages for people at other paths. API Gateway has none. */
  readonly page?: (path: string) => HttpResult | undefined
  /** By default any free one. */
  readonly port?: Port
  /** The functions' own time limit. */
  readonly functionTimeoutSeconds?: number
  /** How long API Gateway waits for a function. */
  readonly integrationTimeoutMs?: number
}

export interface PageServer {
  owns(path: string): boolean
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export interface GatewayRoute {
  readonly method: string
  /** A template such as `/syncs/{entity}`; a parameter is one segment, or with `+` several. */
  readonly path: string
  readonly handler: LambdaHandler
}

/** API Gateway's HTTP API in front of Lambda functions, payload format 2.0. It checks no identity. */
export async function startGateway(options: GatewayOptions): Promise<Served> {
  const { routes, cors, pages, page, functionTimeoutSeconds = 29, integrationTimeoutMs = 30_000 } = options
  const { port = { kind: 'exactly', port: 0 } } = options
  // A literal segment takes precedence over a parameter, so the route with the fewest parameters is tried first. A
  // parameter of several segments is tried last.
  const matchers = routes
    .map((route) => ({ route, names: parameterNames(route.path), pattern: pathPattern(route.path) }))
    .sort((a, b) => byPrecedence(a.route, b.route))

  async function serve(request: IncomingMessage): Promise<HttpResult> {
    if (isHeadTooLarge(request)) return message(431, 'Request Header Fields Too Large')
    const preflight = cors && request.method === 'OPTIONS' && preflightResponse(request.headers, cors)
    if (preflight) return preflight
    const requestId = randomUUID()
    const { headers, ...result } = await dispatch(request, requestId)
    const named = { ...result, headers: { ...headers, 'apigw-requestid': requestId } }
    return cors ? withCors(named, request.headers, cors) : named
  }

  async function dispatch(request: IncomingMessage, requestId: string): Promise<HttpResult> {
    const [rawPath = '', ...query] = (request.url ?? '').split('?')
    const path = decodePath(rawPath)
    if (path === undefined) return message(400, 'Bad Request')
    const shown = request.method === 'GET' ? page?.(path) : undefined
    const matched = shown ? undefined : match(request.method, path)
    const access = { origins: cors?.origins ?? [], isRoute: matched !== undefined }
    const refused = refusalReason(request.headers, access)
    if (refused) return message(403, refused)
    const body = await readBody(request)
    if (!body) return message(413, 'Request Entity Too Large')
    if (!matched) return shown ?? message(404, 'Not Found')
    const { route, pathParameters } = matched
    const text = { path, query: query.join('?'), pathParameters }
    const event = eventOf({ request, requestId, body, route, ...text })
    return isEventTooLarge(event) ? message(413, 'Request Too Long') : callFunction(route.handler, event)
  }

  function match(method: string | undefined, path: string) {
    for (const { route, names, pattern } of matchers) {
      const values = route.method === method ? pattern.exec(path)?.slice(1) : undefined
      if (!values) continue
      const pathParameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
      return { route, pathParameters }
    }
    return undefined
  }

  async function callFunction(handler: LambdaHandler, event: object): Promise<HttpResult> {
    const timeUp = Promise.withResolvers<HttpResult>()
    const giveUp = () => timeUp.resolve(message(503, 'Service Unavailable'))
    const timer = setTimeout(giveUp, integrationTimeoutMs)
    try {
      const responded = invoke(handler, event, functionTimeoutSeconds).then(httpResultOf)
      return await Promise.race([responded, timeUp.promise])
    } catch {
      // The log has the error of the function. Callers receive nothing else.
      return message(500, 'Internal Server Error')
    } finally {
      clearTimeout(timer)
    }
  }

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const { status, headers, body } = await serve(request)
    if (!request.complete) response.setHeader('connection', 'close')
    // RFC 9110 section 8.6: a 204 has no Content-Length.
    if (status !== 204) response.setHeader('content-length', body.length)
    response.writeHead(status, headers)
    response.end(request.method === 'HEAD' ? undefined : body)
    request.resume()
  }

  return listenAt(
    createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?')
      const responded = pages?.owns(path) ? pages.respond(request, response) : respond(request, response)
      responded.catch(() => response.destroy())
    }),
    port,
  )
}

const message = (status: number, text: string): HttpResult => jsonResult({ message: text }, status)

/** Greedy routes come last, the longest of them first; of the others, the one with the fewest parameters. */
function byPrecedence({ path }: GatewayRoute, { path: other }: GatewayRoute): number {
  const [isGreedy, isOtherGreedy] = [path.includes('+}'), other.includes('+}')]
  if (isGreedy !== isOtherGreedy) return isGreedy ? 1 : -1
  return isGreedy ? other.length - path.length : parameterNames(path).length - parameterNames(other).length
}

/** Undefined if the body is larger than API Gateway accepts. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return undefined
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > maxBodyBytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/**
 * Why a request is refused; undefined if it is not. The gateway checks no identity, so a web page that a developer
 * happens to visit must not reach it: neither under its own host name (DNS rebinding) nor across sites. `origins` may
 * call. Paths that are no API route are pages for people, which any site may link to.
 */
function refusalReason(
  { host, origin, ...headers }: IncomingHttpHeaders,
  { origins, isRoute }: { readonly origins: readonly string[]; readonly isRoute: boolean },
): string | undefined {
  if (!isLoopbackHost(host)) return wrongHost
  if (origin !== undefined) {
    if (origin === `http://${host}` || origins.includes(origin) || origins.includes('*')) return undefined
    return 'Pages of this origin must not call this API. Add the origin to `cors` of the configuration.'
  }
  // W3C Fetch Metadata: a request without an Origin can come from another site too, such as an image or a link.
  const isFromOtherSite = ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
  return isFromOtherSite && isRoute ? 'Pages of other sites must not call this API.' : undefined
}

/** Quotas of HTTP APIs and of Lambda, which cannot be raised. */
const maxBodyBytes = 10 * 1024 * 1024
const maxHeadBytes = 10_240
const maxEventBytes = 6 * 1024 * 1024

/** Whether the request line and the header values together are larger than API Gateway accepts. */
function isHeadTooLarge({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): boolean {
  const requestLine = `${method} ${url} HTTP/${httpVersion}`
  const values = rawHeaders.filter((_, index) => index % 2 === 1)
  return Buffer.byteLength([requestLine, ...values].join('')) > maxHeadBytes
}

/** Whether the event is larger than Lambda accepts in a synchronous invocation. */
function isEventTooLarge(event: APIGatewayProxyEventV2): boolean {
  // JSON escapes a byte to at most six bytes, so small events need not be serialized to be measured.
  const bodyBytes = Buffer.byteLength(event.body ?? '')
  return bodyBytes > maxEventBytes / 12 && Buffer.byteLength(JSON.stringify(event)) > maxEventBytes
}
