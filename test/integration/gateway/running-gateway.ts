import http from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import type { Served } from '../../../local/embedded/listen.ts'
import { startGateway } from '../../../local/gateway/gateway.ts'

interface Call {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

/** A gateway for the tests of one file, whose routes share a handler that each test can change. */
export function useGateway() {
  const handler = vi.fn<(event: APIGatewayProxyEventV2) => Promise<unknown>>()
  const routes = ['/syncs/{entity}', '/syncs/{entity}/runs/{runId}', '/syncs/all', '/docks/{dockId}'].flatMap(
    (path) => ['GET', 'PATCH'].map((method) => ({ method, path, handler })),
  )
  let gateway: Served
  beforeAll(async () => {
    gateway = await startGateway({ routes })
  })
  afterAll(() => gateway.close())
  beforeEach(() => void handler.mockReset().mockResolvedValue({ statusCode: 200 }))

  /** Not fetch, which would normalize the path. */
  function call(path: string, { method = 'GET', headers = {}, body }: Call = {}, to = gateway) {
    const { hostname, port } = new URL(to.endpoint)
    return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }>((done, fail) => {
      const request = http.request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = String(Buffer.concat(chunks))
          done({ status: response.statusCode ?? 0, headers: response.headers, body: text })
        })
      })
      request.on('error', fail)
      request.end(body)
    })
  }

  return {
    handler,
    routes,
    call,
    served: () => gateway,
    /** The last event that the handler received. */
    event: () => handler.mock.lastCall?.[0] as APIGatewayProxyEventV2,
  }
}
