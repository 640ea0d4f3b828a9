import type { IncomingHttpHeaders } from 'node:http'

/** Names under which only programs of this machine reach a loopback server. */
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

export const wrongHost = 'The Host header must name this machine: 127.0.0.1, localhost or [::1].'

/** Whether a Host header names this machine. A web page under another host name may have been rebound to it by DNS. */
export const isLoopbackHost = (host: string | undefined): boolean =>
  host !== undefined && loopbackNames.includes(host.toLowerCase().replace(/:\d*$/, ''))

/** Why a server without pages refuses a request that a web page may have sent; undefined if no page sent it. */
export function pageRefusal({ host, origin }: IncomingHttpHeaders): string | undefined {
  if (!isLoopbackHost(host)) return wrongHost
  return origin === undefined ? undefined : 'Web pages must not call this service.'
}
