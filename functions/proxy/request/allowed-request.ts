import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { parameterNames } from '../../http/path-template.ts'
import { requestBody } from '../../http/request-body.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import type { UpstreamSettings, Validation } from '../../runtime/settings.ts'
import { checkBody, refuseEncoding } from './body-rules.ts'
import { upstreamHeaders } from './header-rules.ts'
import { pathSegment } from './path-rules.ts'
import { allowedQuery, type QueryPair, queryString } from './query-rules.ts'

/** The part of a caller's request that is forwarded. */
export interface AllowedRequest {
  readonly target: string
  /** The caller's query. `target` has the part that is forwarded. */
  readonly query: readonly QueryPair[]
  readonly headers: Record<string, string>
  readonly body?: Buffer
}

/** The part of API Gateway's event that the rules check. */
export type CallerRequest = Pick<
  APIGatewayProxyEventV2,
  'pathParameters' | 'rawQueryString' | 'headers' | 'body' | 'isBase64Encoded'
>

/** Checks a caller's request against the endpoint's entry. Throws `ProblemError` if it breaks a rule. */
export function allowedRequest(
  event: CallerRequest,
  endpoint: Endpoint,
  settings: Pick<UpstreamSettings, 'searchPath' | 'account'> & { readonly validation: Validation },
): AllowedRequest {
  const { path, upstreamPath, body: rule } = endpoint
  const upstream = parameterNames(path).reduce(
    (filled, name) => {
      const segment = pathSegment(name, event.pathParameters?.[name])
      return filled.replaceAll(`{${name}}`, () => segment)
    },
    upstreamPath ? settings[upstreamPath] : path,
  )
  const query = allowedQuery(event.rawQueryString, endpoint, settings.account)
  const headers = upstreamHeaders(event.headers, endpoint)
  const target = upstream + queryString(query, endpoint)
  if (rule === 'none') return { target, query, headers }
  const body = requestBody(event)
  if (isDamaged(event, body)) refuseEncoding()
  checkBody(body, { contentType: event.headers['content-type'], rule, validation: settings.validation })
  return { target, query, headers, body }
}

/**
 * API Gateway passes a text body as characters, with U+FFFD in place of bytes that are not UTF-8, which changes its
 * length. Such a body is no longer what the caller sent.
 */
function isDamaged({ body, headers, isBase64Encoded }: CallerRequest, bytes: Buffer): boolean {
  const sentBytes = headers['content-length']
  if (isBase64Encoded || sentBytes === undefined || !body?.includes('\uFFFD')) return false
  return Number(sentBytes) !== bytes.length
}
