import { createServer, type Socket } from 'node:net'

/** A TCP server that sends exactly the bytes that a test chooses. */
export interface RawServer {
  readonly url: string
  readonly port: number
  /** The heads of all requests in order, with the part of the body that arrived with them. */
  readonly requests: string[]
  /** Connections so far. */
  connections(): number
  /** Connections that are open now. */
  open(): number
  close(): Promise<void>
}

/** Handles a request. `number` counts all requests from 1. */
export type Serve = (socket: Socket, number: number) => unknown

export async function startRawServer(serve: Serve, host = '127.0.0.1'): Promise<RawServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      requests.push(head)
      head = ''
      serve(socket, requests.length)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export function rawResponse(body: string, status = '200 OK', headers: readonly string[] = []): string {
  return [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  )
}
