import type { Server } from 'node:http'
import { isPortTaken } from '../../operator/port.ts'
import { listen, type Served } from '../embedded/listen.ts'

/** Where a server listens: at this port only (0 is a free one), or at the first free port from this one on. */
export type Port = { readonly kind: 'exactly' | 'from'; readonly port: number }

/** How many ports are tried before any free one is taken. */
const tries = 20

/** Rejects with EADDRINUSE if an exact port is taken. */
export async function listenAt(server: Server, { kind, port }: Port): Promise<Served> {
  if (kind === 'exactly') return listen(server, port)
  for (let next = port; next < port + tries; next += 1) {
    const served = await listen(server, next).catch((error: unknown) => {
      if (isPortTaken(error)) return undefined
      throw error
    })
    if (served) return served
  }
  return listen(server)
}
