import type {
  ClientRequest,
  Agent as HttpAgent,
  IncomingHttpHeaders,
  IncomingMessage,
  RequestOptions,
} from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { UpstreamFailure } from './errors.ts'

export interface ExchangeRequest {
  readonly method: 'GET' | 'PATCH'
  /** Path and query as they go over the wire. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** From now to the last byte of the answer. */
  readonly totalMs: number
  /** The longest silence of the platform before the exchange is given up; `totalMs` if absent. */
  readonly idleMs?: number
  readonly maxBytes?: number
  /** Gives room for a body of so many bytes, if the platform tells how many; a buffer of its own if absent. */
  readonly room?: (bytes: number) => Buffer
  /** Set where a repeat could do harm: the request then never goes out on a connection that may be dead. */
  readonly onceOnly?: boolean
}

export interface UpstreamResponse {
  readonly status: number
  /** Names in lower case, as node gives them. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One HTTP exchange, without judgement of the answer. Throws `UpstreamFailure`. */
export type Exchange = (request: ExchangeRequest) => Promise<UpstreamResponse>

const connectMs = 8_000
const freshMs = 1_500

/**
 * Makes exchanges with one origin over kept-alive connections.
 * Only `node:https` is imported: an ESM import of `node:http` alone costs a start 30 ms (it loads undici).
 */
export function createExchange(baseUrl: string): Exchange {
  const origin = new URL(baseUrl)
  const transport = origin.protocol === 'https:' ? https : process.getBuiltinModule('node:http')
  const agent = new transport.Agent({ keepAlive: true, maxFreeSockets: 64 })
  const idleSince = new WeakMap<Socket, number>()
  agent.on('free', (socket: Socket) => idleSince.set(socket, Date.now()))

  return (request) =>
    new Promise((resolve, reject) => {
      if (request.onceOnly) forgetIdleSockets(agent, idleSince)
      const options: RequestOptions = {
        agent,
        host: origin.hostname.replace(/^\[|\]$/g, ''),
        port: origin.port || undefined,
        method: request.method,
        path: request.target,
        headers: request.body
          ? { ...request.headers, 'Content-Length': request.body.length }
          : { ...request.headers },
      }
      const outgoing: ClientRequest = transport.request(options)
      const timers = watchTime(outgoing, request)
      let answered: IncomingMessage | undefined

      const fail = (cause: unknown) => {
        timers.stop()
        outgoing.destroy()
        reject(
          cause instanceof UpstreamFailure ? cause : new UpstreamFailure(timers.failureKind(), { cause }),
        )
      }
      outgoing.on('error', fail)
      outgoing.on('response', (response) => {
        answered = response
        timers.heard()
        const body = gather(response, request)
        response.on('data', (chunk: Buffer) => {
          timers.heard()
          if (!body.add(chunk)) fail(new UpstreamFailure('too-large'))
        })
        response.on('error', fail)
        // A body that ends before its Content-Length or its last chunk is no answer (RFC 9112 section 8).
        response.on('end', () => {
          if (!response.complete) return fail(new Error('The answer was cut off.'))
          timers.stop()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: body.whole() })
        })
      })
      outgoing.on('close', () => {
        if (!answered?.complete) fail(new Error('The connection was closed before the answer.'))
      })
      outgoing.end(request.body)
    })
}

/** Puts a body together: in the room that is given for it, or else of its pieces at the end. */
function gather(
  { headers }: IncomingMessage,
  { maxBytes = Number.POSITIVE_INFINITY, room }: ExchangeRequest,
): { add(piece: Buffer): boolean; whole(): Buffer } {
  const announced = headers['transfer-encoding'] ? 0 : Number(headers['content-length'] ?? 0)
  const given = announced > 0 && announced <= maxBytes ? room?.(announced) : undefined
  const pieces: Buffer[] = []
  let received = 0
  return {
    add(piece) {
      if (given) piece.copy(given, received)
      else pieces.push(piece)
      received += piece.length
      return received <= maxBytes
    },
    whole() {
      // Some answers announce a body that they do not have (RFC 9110 section 8.6).
      if (given) return received === given.length ? given : given.subarray(0, received)
      return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, received)
    },
  }
}

/**
 * The platform or a balancer before it closes connections that were idle, and Lambda freezes us so that we do not
 * notice. A request that must not be repeated is not risked on such a connection.
 */
function forgetIdleSockets(agent: HttpAgent, idleSince: WeakMap<Socket, number>): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) {
      if (Date.now() - (idleSince.get(socket) ?? 0) > freshMs) socket.destroy()
    }
  }
}

/** Ends the request when its time is up, and knows what its failure means: was anything sent, did time run out? */
function watchTime(outgoing: ClientRequest, { totalMs, idleMs = totalMs }: ExchangeRequest) {
  let connected = false
  let timedOut = false
  const expire = () => {
    timedOut = true
    outgoing.destroy(new Error('The time for the exchange is up.'))
  }
  const total = setTimeout(expire, totalMs)
  const idle = setTimeout(expire, Math.min(idleMs, totalMs))
  const connecting = setTimeout(() => !connected && expire(), Math.min(connectMs, totalMs))
  outgoing.on('socket', (socket) => {
    const ready = () => {
      connected = true
      clearTimeout(connecting)
      idle.refresh()
    }
    if (outgoing.reusedSocket) ready()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', ready)
  })
  return {
    heard: () => void idle.refresh(),
    stop() {
      for (const timer of [total, idle, connecting]) clearTimeout(timer)
    },
    failureKind() {
      if (!connected) return 'unreachable' as const
      return timedOut ? ('timeout' as const) : ('interrupted' as const)
    },
  }
}
