import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'

export interface ConsoleResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An iterable is sent while it is produced. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>
}

/** The page loads only its own files and connects only to its own server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  // The browser refuses innerHTML and its relatives.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  "frame-ancestors 'none'",
].join('; ')

const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export const jsonResponse = (status: number, value: unknown): ConsoleResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** A page with a message, for requests without a session. */
export function messagePage(status: number, message: string, more = ''): ConsoleResponse {
  const escaped = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">${more}<title>Longshore console</title><p>${escaped}</p></html>\n`
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/**
 * The browser continues at `/` by itself. A redirect would not work: if a link on another site led here, the browser
 * would not send the cookie (SameSite=Strict).
 */
export function signedInPage(setCookie: string): ConsoleResponse {
  const page = messagePage(200, 'Opening the console…', '<meta http-equiv="refresh" content="0; url=/">')
  return { ...page, headers: { ...page.headers, 'set-cookie': setCookie } }
}

/** Rejects if the browser leaves, or the body fails, before all of it is sent. */
export async function sendResponse(
  response: ServerResponse,
  { status, headers, body }: ConsoleResponse,
): Promise<void> {
  response.writeHead(status, { ...securityHeaders, ...headers })
  // Node sends no body for HEAD.
  if (typeof body === 'string' || body instanceof Uint8Array) response.end(body)
  else await pipeline(body, response)
}
