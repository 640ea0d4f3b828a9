import { endpoints, warningHeader } from '../functions/platform/endpoints.ts'
import { headerName, platformHeaders } from '../functions/platform/headers.ts'

/** What API Gateway and the local gateway respond to browsers. */
export interface Cors {
  /** Origins, or `*` alone. */
  readonly origins: readonly string[]
  readonly methods: readonly ('GET' | 'POST' | 'PATCH' | 'DELETE')[]
  /** In lower case. */
  readonly requestHeaders: readonly string[]
  /** Response headers that a page may read; in lower case. */
  readonly exposedHeaders: readonly string[]
  readonly maxAgeSeconds: number
}

/** The CORS rules for these origins. Callers sign requests or send a token, so cookies are never allowed. */
export function corsOf(origins: readonly string[], headerPrefix: string): Cors {
  return {
    origins,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
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
    exposedHeaders: exposedHeaders(headerPrefix),
    maxAgeSeconds: 3600,
  }
}

/** The platform's response headers and those of the API itself. */
function exposedHeaders(headerPrefix: string): string[] {
  const ofEndpoints = endpoints.flatMap(({ responseHeaders }) =>
    responseHeaders.map((name) => headerName(name, headerPrefix)),
  )
  const own = [warningHeader, 'allow', 'apigw-requestid', 'etag', 'idempotency-replayed', 'link', 'location']
  return [...new Set([...ofEndpoints, ...own])].sort()
}
