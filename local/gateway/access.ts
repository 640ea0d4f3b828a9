import type { IncomingHttpHeaders } from 'node:http'
import { isLoopbackHost, wrongHost } from '../loopback.ts'

export interface GatewayAccess {
  /** Origins of other sites whose pages may call, or `*`. */
  readonly origins: readonly string[]
  /** Whether the path is an API route. Other paths are pages for people, which any site may link to. */
  readonly isRoute: boolean
}

/**
 * Why a request is refused; undefined if it is not. The gateway checks no identity, so a web page that a developer
 * happens to visit must not reach it: neither under its own host name (DNS rebinding) nor across sites.
 */
export function refusalReason(
  headers: IncomingHttpHeaders,
  { origins, isRoute }: GatewayAccess,
): string | undefined {
  const { host, origin } = headers
  if (!isLoopbackHost(host)) return wrongHost
  if (origin !== undefined) {
    if (origin === `http://${host}` || origins.includes(origin) || origins.includes('*')) return undefined
    return 'Pages of this origin must not call this API. Add the origin to `cors` of the configuration.'
  }
  // W3C Fetch Metadata: a request without an Origin can come from another site too, such as an image or a link.
  const isFromOtherSite = ['cross-site', 'same-site'].includes(String(headers['sec-fetch-site']))
  return isFromOtherSite && isRoute ? 'Pages of other sites must not call this API.' : undefined
}
