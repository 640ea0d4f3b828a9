import { endpointsWith } from '../functions/platform/configured-endpoints.ts'
import { warningHeader } from '../functions/platform/endpoints.ts'
import { headerName, platformHeaders } from '../functions/platform/headers.ts'
import type { Configuration } from './config.ts'

type Configured = Pick<Configuration, 'cors' | 'endpoints' | 'upstream'>

/** What API Gateway and the local gateway respond to browsers. Names of headers are in lower case. */
export type Cors = ReturnType<typeof corsOf>

/** The CORS rules for the configured origins. Callers sign requests or send a token, so cookies are never allowed. */
export function corsOf(configuration: Configured) {
  return {
    origins: configuration.cors,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'] as const,
    requestHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
      'if-none-match',
      platformHeaders.range,
      'traceparent',
      'x-amz-content-sha256',
      'x-amz-date',
      'x-amz-security-token',
    ],
    exposedHeaders: exposedHeaders(configuration),
    maxAgeSeconds: 3600,
  }
}

/** The platform's response headers and those of the API itself. */
function exposedHeaders({ endpoints, upstream }: Configured): string[] {
  const ofEndpoints = endpointsWith(endpoints).flatMap(({ responseHeaders }) =>
    responseHeaders.map((name) => headerName(name, upstream.headerPrefix)),
  )
  const own = [warningHeader, 'allow', 'apigw-requestid', 'etag', 'idempotency-replayed', 'link', 'location']
  return [...new Set([...ofEndpoints, ...own])].sort()
}
