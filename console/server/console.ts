import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiPrefix } from '../contract/api.ts'
import { createSession, decideAccess } from './access.ts'
import { consoleApiRoutes } from './api.ts'
import { readAssets } from './assets.ts'
import type { ApiContext } from './context.ts'
import { type ConsoleResponse, jsonResponse, messagePage, sendResponse, signedInPage } from './respond.ts'
import { readJsonBody, respondToRoute } from './routes.ts'

export type Console = Awaited<ReturnType<typeof createConsole>>

/** The operator's page and its API. It needs a server: its own, or the gateway of `npm start`. */
export async function createConsole(context: ApiContext) {
  const session = createSession()
  const routes = consoleApiRoutes(context)
  const assets = readAssets()

  async function responseOf(request: IncomingMessage): Promise<ConsoleResponse> {
    const { method = '', headers, socket } = request
    const url = URL.parse(request.url ?? '', 'http://console')
    if (!url) return messagePage(400, 'The URL is malformed.')
    const access = decideAccess({ method, url, headers, port: socket.localPort ?? 0 }, session)
    const isApi = url.pathname.startsWith(`${apiPrefix}/`)
    if (access.kind === 'signed-in') return signedInPage(access.setCookie)
    if (access.kind === 'refused') {
      const { status, message } = access
      return isApi ? jsonResponse(status, { message }) : messagePage(status, message)
    }
    if (isApi) return respondToRoute(routes, { method, url }, () => readJsonBody(request))
    const asset = method === 'GET' || method === 'HEAD' ? assets.get(url.pathname) : undefined
    return asset ?? messagePage(404, 'Not found.')
  }

  return {
    /** Exchanged once for the cookie that every request needs. */
    token: session.token,
    /** Whether the console responds to requests to this path. */
    owns: (path: string) => path === '/' || path.startsWith('/console/'),
    respondTo: async (request: IncomingMessage, response: ServerResponse) => {
      await sendResponse(response, await responseOf(request))
      request.resume()
    },
  }
}

export type ServedConsole = Awaited<ReturnType<typeof serveConsole>>

/** Serves the console on this machine only. Port 0 is a free one. Rejects if the port is taken. */
export async function serveConsole(console: Console, port: number) {
  const server = createServer((request, response) => {
    console.respondTo(request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?token=${console.token}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
