import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { readProxy } from '../upstream/internet-proxy.ts'
import { plainBody } from '../upstream/plain-body.ts'
import { unreachableReason } from '../upstream/unreachable-reason.ts'
import { DeliveryError, type ReceiverResponse } from './refusal.ts'

export type Post = (url: URL, body: string) => Promise<ReceiverResponse>

/** From the beginning to the status of the response. */
const maxSeconds = 10
/** For the body. The message may be accepted already, so that it does not fail without a body. */
const maxBodyMs = 1_000
const maxBodyBytes = 16_384

/** Sends a message. A redirect is not followed. Throws `DeliveryError` without a response. */
export const post: Post = async (url, body) => {
  // Its ESM import slows down a cold start.
  const transport = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http')
  const proxyEnv = readProxy()
  const signal = AbortSignal.timeout(maxSeconds * 1_000)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'Longshore/1',
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = transport.request(
    url,
    { method: 'POST', headers, signal, agent: new transport.Agent(proxyEnv ? { proxyEnv } : {}) },
    resolve,
  )
  request.on('error', (cause) =>
    reject(
      new DeliveryError(
        signal.aborted
          ? `The receiver at ${url.host} did not respond within ${maxSeconds} seconds.`
          : `No response from the receiver: ${unreachableReason(cause, url.origin, 'its operator')}.`,
      ),
    ),
  )
  request.end(body)
  const response = await promise
  const { headers: coded, statusCode: status = 0 } = response
  return { status, body: plainBody({ headers: coded, body: await beginningOf(response) }) }
}

/** What arrives of a body in time. */
async function beginningOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const timer = setTimeout(() => response.destroy(), maxBodyMs)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= maxBodyBytes) break
    }
  } catch {
    // The rest did not arrive.
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
  return Buffer.concat(chunks).subarray(0, maxBodyBytes)
}
