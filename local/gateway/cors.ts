import type { IncomingHttpHeaders } from 'node:http'
import type { Cors } from '../../lib/cors.ts'
import type { HttpResult } from './gateway-result.ts'

/**
 * An HTTP API with CORS responds to preflights itself on every path. It sets its own headers on every other response to
 * a browser, errors included, and ignores those of a function. An origin that is not allowed gets no headers, so the
 * browser hides the response from the page.
 */
export function preflightResponse(headers: IncomingHttpHeaders, cors: Cors): HttpResult | undefined {
  if (headers.origin === undefined || headers['access-control-request-method'] === undefined) return undefined
  const origin = allowedOrigin(headers.origin, cors)
  const allowed = {
    'access-control-allow-origin': origin ?? '',
    'access-control-allow-methods': cors.methods.join(','),
    'access-control-allow-headers': cors.requestHeaders.join(','),
    'access-control-max-age': String(cors.maxAgeSeconds),
  }
  return { status: 204, headers: origin === undefined ? {} : allowed, body: Buffer.alloc(0) }
}

/** The response with the headers that let a page read it, if its origin is allowed. */
export function withCors(result: HttpResult, headers: IncomingHttpHeaders, cors: Cors): HttpResult {
  const kept = Object.entries(result.headers).filter(([name]) => !name.startsWith('access-control-'))
  const origin = headers.origin === undefined ? undefined : allowedOrigin(headers.origin, cors)
  const own = origin !== undefined && {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': cors.exposedHeaders.join(','),
  }
  return { ...result, headers: { ...Object.fromEntries(kept), ...own } }
}

function allowedOrigin(origin: string, { origins }: Cors): string | undefined {
  if (origins.includes('*')) return '*'
  return origins.includes(origin) ? origin : undefined
}
