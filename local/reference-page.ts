import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { HttpResult } from './gateway/gateway-result.ts'

const own = new URL('reference-page/', import.meta.url)
const consolePage = new URL('../dist/console/', import.meta.url)
const library = new URL('../dist/reference-page/', import.meta.url)

/** The files of the page by path. No other file is served. */
const files: Readonly<Record<string, URL>> = {
  '/reference': new URL('index.html', own),
  '/reference/page.css': new URL('page.css', own),
  '/reference/theme.css': new URL('theme.css', consolePage),
  '/reference/page.js': new URL('page.js', own),
  '/reference/swagger-ui.css': new URL('swagger-ui.css', library),
  '/reference/swagger-ui-bundle.js': new URL('swagger-ui-bundle.js', library),
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** The page may connect only to the gateway that served it. The library's icons are data URLs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A file of the API reference page, where developers read and try the API. Only the local gateway serves it. */
export function referencePage(path: string): HttpResult | undefined {
  const file = Object.hasOwn(files, path) ? files[path] : undefined
  if (!file) return undefined
  return {
    status: 200,
    headers: {
      'content-type': types[extname(file.pathname)] ?? 'application/octet-stream',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
    body: readFileSync(file),
  }
}
