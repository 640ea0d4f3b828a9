import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Served {
  /** `http://127.0.0.1:PORT`. An IP address, because with a host name the SDK would use `bucket.host`. */
  readonly endpoint: string
  /** Also closes open connections. */
  close(): Promise<void>
}

/** Opens a server on a loopback port, by default a free one. */
export async function listen(server: Server, port = 0): Promise<Served> {
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', fail)
      done()
    })
  })
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
