import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { requestBody } from '../http/request-body.ts'
import type { Endpoint } from '../platform/endpoints.ts'
import type { UpstreamSettings, Validation } from '../runtime/settings.ts'
import { checkBody, refuseEncoding } from './body-rules.ts'
import { upstreamHeaders } from './header-rules.ts'
import { pathSegment } from './path-rules.ts'
import { type QueryPair, queryString, readQuery } from './query-rules.ts'

/** What of a caller's request goes up. */
export interface AllowedRequest {
  readonly target: string
  readonly query: readonly QueryPair[]
  readonly headers: Record<string, string>
  readonly body?: Buffer
}

/** What callers' programs send, as far as the rules look at it. */
export type CallerRequest = Pick<
  APIGatewayProxyEventV2,
  'pathParameters' | 'rawQueryString' | 'headers' | 'body' | 'isBase64Encoded'
>

/** Holds a caller's request against the endpoint's entry. Throws `ProblemError` for whatever breaks a rule. */
export function allowedRequest(
  event: CallerRequest,
  endpoint: Endpoint,
  settings: Pick<UpstreamSettings, 'searchPath'> & { readonly validation: Validation },
): AllowedRequest {
  const { pathParameter, body: rule } = endpoint
  const segment = pathSegment(pathParameter, event.pathParameters?.[pathParameter])
  const template = endpoint.upstreamPath ? settings[endpoint.upstreamPath] : endpoint.path
  const query = readQuery(event.rawQueryString, endpoint)
  const headers = upstreamHeaders(event.headers, endpoint)
  const target = template.replaceAll(`{${pathParameter}}`, () => segment) + queryString(query)
  if (rule === 'none') return { target, query, headers }
  const body = requestBody(event)
  if (isDamaged(event, body)) {
    refuseEncoding()
  }
  checkBody(body, { contentType: event.headers['content-type'], rule, validation: settings.validation })
  return { target, query, headers, body }
}

/**
 * Of a body that it takes for text API Gateway hands over characters, with U+FFFD in place of what was no UTF-8, which
 * changes its length nearly always. The platform would be sent what the caller never wrote.
 */
function isDamaged({ body, headers, isBase64Encoded }: CallerRequest, bytes: Buffer): boolean {
  const sentBytes = headers['content-length']
  if (isBase64Encoded || sentBytes === undefined || !body?.includes('\uFFFD')) return false
  return Number(sentBytes) !== bytes.length
}
