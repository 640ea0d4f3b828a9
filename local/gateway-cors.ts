import type { IncomingHttpHeaders } from 'node:http'
import type { Cors } from '../lib/cors.ts'
import type { HttpResult } from './gateway-result.ts'

/**
 * What API Gateway does for an HTTP API with CORS: it answers preflights itself on every path, puts its own headers
 * on every other answer to a browser, its refusals too, and ignores a function's. To an origin that may not call it
 * says nothing, so the browser keeps the answer from the page.
 */
export function preflightAnswer(headers: IncomingHttpHeaders, cors: Cors): HttpResult | undefined {
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

/** The answer with the headers that let a page read it, if its origin may. */
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
