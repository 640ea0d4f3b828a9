import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { readProxy } from '../upstream/internet-proxy.ts'
import { unreachableReason } from '../upstream/unreachable-reason.ts'

/** A receiver did not accept a message. The text names neither the path nor the query of its address. */
class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
}

export type Post = (url: URL, body: string) => Promise<void>

/** From the beginning to the status of the response. */
const maxSeconds = 10

/**
 * Sends a message. A status of 2xx accepts it. The body of the response is not read: if it did not arrive, the message
 * would be sent twice. A redirect is not followed. Throws `DeliveryError`.
 */
export const post: Post = async (url, body) => {
  const status = await statusOf(url, body)
  if (status >= 200 && status < 300) return
  const hint = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
  throw new DeliveryError(`The receiver at ${url.host} responds with ${status}${hint}.`)
}

async function statusOf(url: URL, body: string): Promise<number> {
  // Its ESM import slows down a cold start.
  const transport = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http')
  const proxyEnv = readProxy()
  const signal = AbortSignal.timeout(maxSeconds * 1_000)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'Longshore/1',
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const request = transport.request(
    url,
    { method: 'POST', headers, signal, agent: new transport.Agent(proxyEnv ? { proxyEnv } : {}) },
    (response: IncomingMessage) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    },
  )
  request.on('error', (cause) =>
    reject(
      new DeliveryError(
        signal.aborted
          ? `The receiver at ${url.host} did not respond within ${maxSeconds} seconds.`
          : `No response from the receiver: ${unreachableReason(cause, url.origin)}.`,
      ),
    ),
  )
  request.end(body)
  return promise
}
