import type { IncomingMessage, ServerResponse } from 'node:http'
import { apiPrefix } from '../contract/api.ts'
import { decideAccess } from './access.ts'
import { consoleApiRoutes } from './api.ts'
import { readAssets } from './assets.ts'
import type { ApiContext } from './context.ts'
import { type ConsoleResponse, jsonResponse, messagePage, sendResponse, signedInPage } from './respond.ts'
import { readJsonBody, respondToRoute } from './routes.ts'
import { createSession } from './session.ts'

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
