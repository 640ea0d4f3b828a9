import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { decodedPart } from '../../functions/http/path-template.ts'

interface GatewayRequest {
  readonly request: IncomingMessage
  /** Sent to the caller as `apigw-requestid`. */
  readonly requestId: string
  readonly body: Buffer
  /** Decoded. */
  readonly path: string
  /** As sent. */
  readonly query: string
  readonly pathParameters: Record<string, string>
  readonly route: { readonly method: string; readonly path: string }
}

/** The caller that API Gateway would have identified by the signature. */
const authorizer = {
  iam: {
    accessKey: 'local',
    accountId: '000000000000',
    callerId: 'AIDALOCAL',
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: 'arn:aws:iam::000000000000:user/local',
    userId: 'AIDALOCAL',
  },
}

export function eventOf(received: GatewayRequest): APIGatewayProxyEventV2 {
  const { request, requestId, body, path, query, pathParameters, route } = received
  const { cookie, ...headers } = joinedHeaders(request.rawHeaders)
  const { localPort, remoteAddress = '127.0.0.1' } = request.socket
  const routeKey = `${route.method} ${route.path}`
  const isText = isTextual(headers['content-type'])
  const now = new Date()
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: {
      ...headers,
      'x-amzn-trace-id': `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)}`,
      'x-forwarded-for': remoteAddress,
      'x-forwarded-port': String(localPort),
      'x-forwarded-proto': 'http',
    },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: `127.0.0.1:${localPort}`,
      domainPrefix: 'local',
      http: {
        method: request.method ?? '',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: remoteAddress,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    isBase64Encoded: body.length > 0 && !isText,
  }
  Object.assign(event.requestContext, { authorizer })
  if (query !== '') event.queryStringParameters = joinedQuery(query)
  if (Object.keys(pathParameters).length > 0) event.pathParameters = pathParameters
  if (body.length > 0) event.body = body.toString(isText ? 'utf8' : 'base64')
  return event
}

/**
 * The path as HTTP APIs route it and pass it on: decoded once, with every escape, and cut off at a decoded `?`
 * (captures of live HTTP APIs: https://github.com/middleapi/standard-server/pull/93). Undefined if it is not UTF-8.
 */
export const decodePath = (path: string): string | undefined => decodedPart(path)?.split('?')[0]

/** Names in lower case; the values of a repeated header are joined by a comma. */
function joinedHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const joined: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    const separator = name === 'cookie' ? '; ' : ','
    joined[name] = joined[name] === undefined ? value : `${joined[name]}${separator}${value}`
  }
  return joined
}

function joinedQuery(query: string): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    joined[name] = joined[name] === undefined ? value : `${joined[name]},${value}`
  }
  return joined
}

/** Content types that API Gateway passes as text; everything else is base64. */
function isTextual(contentType = ''): boolean {
  const [type = ''] = contentType.toLowerCase().split(';')
  return /^(text\/.*|application\/(json|xml|javascript))$/.test(type.trim())
}

/** `12/Mar/2020:19:03:58 +0000`. */
function commonLogTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ')
  return `${day}/${month}/${year}:${clock} +0000`
}
