import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'

export type Responder = (response: ServerResponse, request: IncomingMessage) => void

export interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * An HTTP server in place of the platform, for the tests of one file: records requests and responds as a test defines.
 */
export function scriptedUpstream() {
  const state = { received: [] as Received[], respond: respondWithEmptyObject }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      state.received.push({ method, url, headers, body: Buffer.concat(chunks) })
      state.respond(response, request)
    })
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => {
    state.received.length = 0
    state.respond = respondWithEmptyObject
    vi.spyOn(console, 'log').mockReturnValue()
  })
  afterEach(() => void vi.restoreAllMocks())
  return Object.assign(state, { host: () => `127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const respondWithEmptyObject: Responder = (response) => response.end('{}')
