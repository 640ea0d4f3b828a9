import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What decides whether a request is allowed. */
export interface AccessRequest {
  readonly method: string
  /** Path and query. */
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  /** The port of the server that received the request. */
  readonly port: number
}

export type Access =
  | { readonly kind: 'allowed' }
  /** Sets the cookie, then the browser continues at `/`. */
  | { readonly kind: 'signed-in'; readonly setCookie: string }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly message: string }

const loopbackNames = ['127.0.0.1', 'localhost']

/**
 * Decides about a request. A page of another site must not reach the console under a host name of its own (DNS
 * rebinding), across sites, or from another port of this machine, which browsers count as the same site.
 */
export function decideAccess(request: AccessRequest, session: ConsoleSession): Access {
  const { method, url, headers, port } = request
  const { host, origin } = headers
  if (!loopbackNames.some((name) => host === `${name}:${port}`)) {
    return refused(
      403,
      `The Host header must be ${loopbackNames.map((name) => `${name}:${port}`).join(' or ')}.`,
    )
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return refused(403, 'Pages of another origin must not call the console.')
  }
  const token = method === 'GET' && url.pathname === '/' ? url.searchParams.get('token') : null
  if (token !== null) return signIn(token, { session, port })
  if (['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))) {
    return refused(403, 'Pages of another origin must not call the console.')
  }
  const isReading = method === 'GET' || method === 'HEAD'
  if (!isReading && origin === undefined) return refused(403, 'The Origin header is missing.')
  if (session.isValid(cookieValue(headers.cookie, cookieName(port)))) return { kind: 'allowed' }
  return refused(401, 'Open the console with the URL that was printed when it started.')
}

function signIn(token: string, { session, port }: { session: ConsoleSession; port: number }): Access {
  const secret = session.exchange(token)
  if (secret === undefined) {
    return refused(
      403,
      'This URL has been used, or is from an earlier start. Start another console: longshore console, or longshore --local console for a running npm start.',
    )
  }
  return { kind: 'signed-in', setCookie: `${cookieName(port)}=${secret}; Path=/; HttpOnly; SameSite=Strict` }
}

const refused = (status: 401 | 403, message: string): Access => ({ kind: 'refused', status, message })

/** Browsers share cookies between the ports of a host, so the name distinguishes two consoles. */
const cookieName = (port: number) => `longshore-console-${port}`

function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split('=')
    if (key === name) return value
  }
  return undefined
}

export type ConsoleSession = ReturnType<typeof createSession>

/** The first request with the token gets the session. Nothing is stored outside of this process. */
export function createSession() {
  const token = randomBytes(32).toString('base64url')
  const secret = randomBytes(32).toString('base64url')
  let isUsed = false
  return {
    /** Works once. */
    token,
    /** The session's secret for the right token, at its first use; else undefined. */
    exchange(given: string): string | undefined {
      if (isUsed || !isSame(given, token)) return undefined
      isUsed = true
      return secret
    },
    /** Whether this is the session's secret. */
    isValid: (given: string | undefined) => isUsed && given !== undefined && isSame(given, secret),
  }
}

/** Compares hashes, which have the same length, in constant time. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(first as Buffer, second as Buffer)
}
