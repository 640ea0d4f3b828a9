import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { ExchangeRequest, UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { createExchange, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { type RawServer, type Serve, startRawServer } from './raw-server.ts'

/** Servers and exchanges of the tests of a file. After each test its servers are closed. */
export function exchangeTests() {
  const closing: (() => Promise<unknown>)[] = []
  beforeEach(() => {
    closing.length = 0
  })
  afterEach(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    for (const close of closing) await close()
  })
  return {
    closeLater: (close: () => Promise<unknown>) => void closing.push(close),

    /** Listens on a free port until the test ends. Returns host and port. */
    listen: async (server: Server): Promise<string> => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      })
      return `127.0.0.1:${(server.address() as AddressInfo).port}`
    },

    prepare: async (serve: Serve, host?: string) => {
      const server = await startRawServer(serve, host)
      closing.push(() => server.close())
      return { server, exchange: createExchange(server.url) }
    },
  }
}

export const get = (change: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'GET',
  target: '/things?a=1',
  headers: { Accept: 'application/json' },
  totalMs: 5_000,
  ...change,
})

export async function failureOf(promise: Promise<UpstreamResponse>): Promise<UpstreamFailure> {
  const error = await promise.then(
    ({ status, body }) => new Error(`responded ${status} ${body.toString()}`),
    (caught: unknown) => caught,
  )
  if (!(error instanceof UpstreamFailure)) throw error
  return error
}

export const nothingOpen = (server: RawServer) => vi.waitFor(() => expect(server.open()).toBe(0), 20_000)
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
