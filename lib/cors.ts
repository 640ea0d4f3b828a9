import { endpoints } from '../functions/platform/endpoints.ts'
import { headerName, platformHeaders } from '../functions/platform/headers.ts'

/** What browsers are told; the local gateway tells them the same. */
export interface Cors {
  /** Origins, or `*` alone. */
  readonly origins: readonly string[]
  readonly methods: readonly ('GET' | 'POST' | 'PATCH' | 'DELETE')[]
  /** In lower case. */
  readonly requestHeaders: readonly string[]
  /** What a page may read of an answer; in lower case. */
  readonly exposedHeaders: readonly string[]
  readonly maxAgeSeconds: number
}

/**
 * Which pages may call, and how. Callers sign or send a token themselves, so browsers are never asked for
 * credentials of their own (cookies), with `*` or without.
 */
export function corsOf(origins: readonly string[], headerPrefix: string): Cors {
  return {
    origins,
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    requestHeaders: [
      'authorization',
      'content-type',
      'idempotency-key',
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

/** What the platform's answers have of headers, and what ours have. */
function exposedHeaders(headerPrefix: string): string[] {
  const ofEndpoints = endpoints.flatMap(({ responseHeaders, warning }) => [
    ...responseHeaders.map((name) => headerName(name, headerPrefix)),
    ...(warning ? [warning.header] : []),
  ])
  const ours = ['allow', 'apigw-requestid', 'idempotency-replayed', 'link', 'location']
  return [...new Set([...ofEndpoints, ...ours])].sort()
}
