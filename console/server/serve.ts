import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Console } from './console.ts'

export interface ServedConsole {
  /** With the one-time token. */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves the console on this machine only. Port 0 is a free one. Rejects if the port is taken. */
export async function serveConsole(console: Console, port: number): Promise<ServedConsole> {
  const server = createServer((request, response) => {
    console.respondTo(request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: consoleUrl((server.address() as AddressInfo).port, console),
    close: () => closeServer(server),
  }
}

function consoleUrl(port: number, { token }: Pick<Console, 'token'>): string {
  return `http://127.0.0.1:${port}/?token=${token}`
}

async function closeServer(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
