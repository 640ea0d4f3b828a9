import { createServer } from 'node:http'
import { createExchange, type UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { listen } from '../../../local/embedded/listen.ts'
import { deliverResponse } from '../../../local/stand-in/delivery.ts'
import type { InjectedFault } from '../../../local/stand-in/faults.ts'
import type { PlatformResponse } from '../../../local/stand-in/platform-response.ts'

/** A response of the platform model, and the fault that strikes while it is sent. */
export interface Delivery {
  readonly result: PlatformResponse
  readonly fault: InjectedFault | undefined
}

/** Sends a response over a real connection and returns what the real HTTP client makes of it. */
export type Wire = (delivery: Delivery) => Promise<UpstreamResponse>

let opened: Promise<Wire> | undefined

/** One server for all seeds of this process. */
export function openWire(): Promise<Wire> {
  opened ??= open()
  return opened
}

async function open(): Promise<Wire> {
  const deliveries = new Map<string, Delivery>()
  let count = 0
  const server = createServer((request, response) => {
    const { result, fault } = deliveries.get(request.url ?? '') as Delivery
    void deliverResponse(response, result, fault)
  })
  const { endpoint } = await listen(server)
  // The seeds end the process, not the server.
  server.unref()
  const exchange = createExchange(endpoint)
  return async (delivery) => {
    const target = `/${count++}`
    deliveries.set(target, delivery)
    try {
      return await exchange({ method: 'GET', target, headers: {}, totalMs: 60_000, onceOnly: true })
    } finally {
      deliveries.delete(target)
    }
  }
}
