import { afterEach, vi } from 'vitest'
import { createUpstream, type UpstreamRequest } from '../../../functions/upstream/client.ts'
import type { CredentialsSource } from '../../../functions/upstream/credential-cache.ts'
import type { Credentials } from '../../../functions/upstream/secret-value.ts'
import { type RawServer, rawResponse, type Serve, startRawServer } from './raw-server.ts'

export const version = (name: string): Credentials => ({
  appKey: `key-${name}`,
  appToken: `token-${name}`,
  version: name,
})

/** The platform of the tests of a file. After each test its server is closed. */
export function upstreamTests() {
  let server: RawServer
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    return server.close()
  })
  return {
    /** The heads of the requests that the platform received. */
    heads: () => server.requests,
    connections: () => server.connections(),

    /** The platform responds by `serve`; the secret contains v1, and `newer` when it is read again. */
    prepare: async (
      serve: Serve,
      change: { newer?: Credentials; headerPrefix?: string; credentials?: Partial<CredentialsSource> } = {},
    ) => {
      server = await startRawServer(serve)
      const reads: string[] = []
      const upstream = createUpstream({
        settings: {
          baseUrl: server.url,
          headerPrefix: change.headerPrefix ?? 'X-SVC',
          searchPath: '/search',
          timeoutSeconds: 25,
        },
        credentials: {
          async get(area) {
            reads.push(`get ${area}`)
            return version('v1')
          },
          async renew(area, rejected) {
            reads.push(`renew ${area} ${rejected}`)
            return change.newer
          },
          ...change.credentials,
        },
      })
      return { upstream, reads }
    },
  }
}

export const request = (change: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  area: 'documents',
  method: 'GET',
  target: '/x',
  headers: { Accept: 'application/json' },
  totalMs: 5_000,
  ...change,
})

export const responding =
  (...statuses: string[]): Serve =>
  (socket, number) =>
    socket.write(rawResponse(`response ${number}`, statuses[number - 1] ?? '200 OK'))

/** From now on, time passes only with `passTime`. */
export const stopTime = () => vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
export const passTime = (ms: number) => void vi.advanceTimersByTime(ms)
