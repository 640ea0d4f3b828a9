import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { ConfiguredEndpoint } from '../../functions/platform/configured-endpoints.ts'
import { listen } from '../embedded/listen.ts'
import { pageRefusal } from '../loopback.ts'
import { deliverResponse, distort, hasEffect, inForm, isSilent, type ResponseForm } from './delivery.ts'
import { createFaults, type Faults } from './faults.ts'
import { createPlatformModel, type PlatformModel, type PlatformModelOptions } from './model.ts'
import { refusalResponse } from './platform-response.ts'
import { type ReceivedRequest, readReceived, receivedRoutes } from './received-request.ts'

export { type AcceptedCredentials, localCredentials } from './model.ts'

/** A stand-in for the commerce platform, served over HTTP on this machine. */
export interface Platform extends PlatformModel {
  readonly url: string
  readonly faults: Faults
  /** Everything that was received, oldest first. */
  readonly requests: ReceivedRequest[]
  /** Also ends open and hanging requests. */
  close(): Promise<void>
}

export interface PlatformOptions extends PlatformModelOptions {
  readonly port?: number
  readonly endpoints?: readonly ConfiguredEndpoint[]
  readonly responses?: ResponseForm
}

export async function startPlatform(options: PlatformOptions = {}): Promise<Platform> {
  const routes = receivedRoutes(options.endpoints ?? [])
  const server = createServer((message, response) => {
    serve(message, response).catch(() => response.destroy())
  })
  const served = await listen(server, options.port)
  const platform: Platform = Object.assign(createPlatformModel(options), {
    url: served.endpoint,
    faults: createFaults(),
    requests: [] as ReceivedRequest[],
    close: () => served.close(),
  })
  return platform

  async function serve(message: IncomingMessage, response: ServerResponse) {
    const refused = pageRefusal(message.headers)
    if (refused !== undefined) {
      message.resume()
      response.writeHead(403).end(refused)
      return
    }
    const request = await receive(message, routes)
    platform.requests.push(request)
    const place = request.kind === 'scroll' ? platform.place(request) : undefined
    if (place) request.scroll = place
    const fault = platform.faults.strike(request)
    if (fault) request.fault = fault.kind
    const intended = hasEffect(fault)
      ? platform.respond(request, fault)
      : refusalResponse(request.area, 500, 'The platform did nothing')
    const sent = distort(inForm(intended, options.responses), fault, request.area)
    if (!isSilent(fault)) request.status = sent.status
    await deliverResponse(response, sent, fault)
  }
}

/** Reads the whole body, then what is requested. */
async function receive(
  message: IncomingMessage,
  routes: ReturnType<typeof receivedRoutes>,
): Promise<ReceivedRequest> {
  const receivedAtMs = Date.now()
  const body = await buffer(message)
  const { method = '', url = '', headers, rawHeaders } = message
  const request = readReceived({ method, url, headers, body }, routes)
  return { ...request, method, url, rawHeaders, receivedAtMs }
}
