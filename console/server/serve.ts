import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Console } from './console.ts'

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
