import type {
  ClientRequest,
  Agent as HttpAgent,
  IncomingHttpHeaders,
  IncomingMessage,
  RequestOptions,
} from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { BodyBuffer } from '../runtime/body-buffer.ts'
import { readProxy } from './internet-proxy.ts'
import { unreachableReason, wantsClientCertificate } from './unreachable-reason.ts'
import { unreadableReason } from './unreadable-reason.ts'

export interface ExchangeRequest {
  readonly method: 'GET' | 'PATCH'
  /** Path and query as they are sent. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Time from now to the last byte of the response. */
  readonly totalMs: number
  /** Longest time without a byte from the platform; `totalMs` if absent. */
  readonly idleMs?: number
  readonly maxBytes?: number
  /** For requests that must not be repeated: they are never sent on a connection that may be closed already. */
  readonly onceOnly?: boolean
}

export interface UpstreamResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One HTTP exchange; every status is a response. Throws `UpstreamFailure`. */
export type Transport = (request: ExchangeRequest) => Promise<UpstreamResponse>

const connectMs = 8_000
/**
 * Load balancers close idle connections after 60 s or more. A request that must not be repeated takes only a connection
 * that was used a moment ago.
 */
const maxIdleMs = { repeatable: 50_000, onceOnly: 1_500 }

/**
 * Exchanges with one origin over kept-alive connections. `node:http` is loaded only where it is needed, since its ESM
 * import slows down a cold start (it loads undici).
 */
export function createExchange(baseUrl: string): Transport {
  const origin = new URL(baseUrl)
  const http = origin.protocol === 'https:' ? https : process.getBuiltinModule('node:http')
  const proxyEnv = readProxy()
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 64, ...(proxyEnv && { proxyEnv }) })
  const idleTime = watchIdleSockets(agent)

  return (request) =>
    new Promise((resolve, reject) => {
      const longestMs = maxIdleMs[request.onceOnly ? 'onceOnly' : 'repeatable']
      closeIdleSockets(agent, (socket) => idleTime(socket) > longestMs)
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
      const outgoing: ClientRequest = http.request(options)
      const timers = watchTime(outgoing, request)
      const { maxBytes = Number.POSITIVE_INFINITY } = request
      let responded: IncomingMessage | undefined

      const fail = (cause: unknown) => {
        timers.stop()
        outgoing.destroy()
        if (cause instanceof UpstreamFailure) return reject(cause)
        reject(failureOf(cause))
      }
      const failureOf = (cause: unknown): UpstreamFailure => {
        const unreadable = unreadableReason(cause, { isAfterHead: responded !== undefined })
        if (unreadable !== undefined)
          return new UpstreamFailure('unreadable', { cause: new Error(unreadable, { cause }) })
        const kind = wantsClientCertificate(cause) ? 'unreachable' : timers.failureKind()
        const reason =
          kind === 'unreachable' ? new Error(unreachableReason(cause, baseUrl), { cause }) : cause
        return new UpstreamFailure(kind, { cause: reason })
      }
      outgoing.on('error', fail)
      outgoing.on('upgrade', (_, socket) => {
        socket.destroy()
        fail(new UpstreamFailure('unreadable', { cause: new Error('it changes to another protocol') }))
      })
      outgoing.on('response', (response) => {
        responded = response
        timers.received()
        const body = new BodyBuffer(response.headers['content-length'])
        response.on('data', (chunk: Buffer) => {
          timers.received()
          if (body.length + chunk.length > maxBytes) fail(new UpstreamFailure('too-large'))
          else body.append(chunk)
        })
        response.on('error', fail)
        // A body that ends before its Content-Length or its last chunk is incomplete (RFC 9112 section 8).
        response.on('end', () => {
          if (!response.complete) return fail(new Error('The response was truncated.'))
          timers.stop()
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: body.bytes() })
        })
      })
      outgoing.on('close', () => {
        if (!responded?.complete)
          fail(new Error('The connection was closed before the response was complete.'))
      })
      outgoing.end(request.body)
    })
}

/** Node joins the values of most repeated headers, and keeps only the first of these. */
const keptOnce = ['age', 'retry-after'] as const

/** A cache before another cache may add its own `Age`: the first one does not show how old the response is. */
function headersOf({ headers, headersDistinct }: IncomingMessage): IncomingHttpHeaders {
  const joined = keptOnce.flatMap((name) => {
    const values = headersDistinct[name]
    return values ? [[name, [...new Set(values)].join(', ')]] : []
  })
  return { ...headers, ...Object.fromEntries(joined) }
}

/**
 * Milliseconds that a socket has been idle, by the larger of two clocks: the wall clock can be set back, and the
 * monotonic clock may stop while Lambda freezes the function.
 */
function watchIdleSockets(agent: HttpAgent): (socket: Socket) => number {
  const idleSince = new WeakMap<Socket, { wall: number; monotonic: number }>()
  agent.on('free', (socket: Socket) =>
    idleSince.set(socket, { wall: Date.now(), monotonic: performance.now() }),
  )
  return (socket) => {
    const since = idleSince.get(socket)
    return since ? Math.max(Date.now() - since.wall, performance.now() - since.monotonic) : Infinity
  }
}

function isConnected(socket: Socket): boolean {
  if (socket.connecting) return false
  // The protocol is known after the handshake.
  return !(socket instanceof TLSSocket) || (socket.getProtocol() ?? 'unknown') !== 'unknown'
}

/** The platform may have closed such a connection unnoticed, because a frozen function reads no packets. */
function closeIdleSockets(agent: HttpAgent, isTooOld: (socket: Socket) => boolean): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) if (isTooOld(socket)) socket.destroy()
}

/** Ends the request when its time is over, and classifies a failure by what was sent and whether time ran out. */
function watchTime(outgoing: ClientRequest, { totalMs, idleMs = totalMs }: ExchangeRequest) {
  let connected = false
  let timedOut = false
  const expire = () => {
    timedOut = true
    outgoing.destroy(new Error('The time for the exchange is over.'))
  }
  const total = setTimeout(expire, totalMs)
  const idle = setTimeout(expire, Math.min(idleMs, totalMs))
  const connecting = setTimeout(expire, Math.min(connectMs, totalMs))
  outgoing.on('socket', (socket) => {
    const ready = () => {
      connected = true
      clearTimeout(connecting)
      idle.refresh()
    }
    // Through a proxy, a connection is complete before the request receives it.
    if (outgoing.reusedSocket || isConnected(socket)) ready()
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', ready)
  })
  return {
    received: () => void idle.refresh(),
    stop() {
      for (const timer of [total, idle, connecting]) clearTimeout(timer)
    },
    failureKind() {
      if (!connected) return 'unreachable' as const
      return timedOut ? ('timeout' as const) : ('interrupted' as const)
    },
  }
}

/** How an exchange with the platform failed, which decides whether the request may be repeated. */
export type UpstreamFailureKind =
  /** Nothing was sent: the time limit was reached, or there was no connection (DNS, TCP, TLS). */
  | 'not-sent'
  | 'unreachable'
  /** The outcome is unknown: no response in time, one that was cut off, or one against the rules of HTTP. */
  | 'timeout'
  | 'interrupted'
  | 'unreadable'
  | 'too-large'

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  readonly kind: UpstreamFailureKind

  constructor(kind: UpstreamFailureKind, options?: ErrorOptions) {
    super(`The exchange with the platform failed: ${kind}`, options)
    this.kind = kind
  }

  /** Why there is no response, in a clause without a full stop: `host shop.invalid not found` if it is unreachable. */
  get reason(): string {
    return reasonOf(this.kind, this.cause instanceof Error ? this.cause : new Error(this.kind))
  }

  /** False if the platform cannot have received the request, so that any request may be repeated. */
  get sent(): boolean {
    return this.kind !== 'not-sent' && this.kind !== 'unreachable'
  }
}

function reasonOf(kind: UpstreamFailureKind, cause: Error): string {
  switch (kind) {
    case 'not-sent':
      return 'the time limit was reached before the request could be sent'
    case 'unreachable':
      return cause.message
    case 'timeout':
      return 'the platform did not respond in time'
    case 'interrupted':
      return `the connection broke before the response was complete${'code' in cause ? ` (${String(cause.code)})` : ''}`
    case 'unreadable':
      return `the response of the platform cannot be read: ${cause.message}`
    case 'too-large':
      return 'the response is too large'
  }
}

/**
 * Why there are no usable credentials: `not-set` (still the placeholder), `malformed` (the secret's value is wrong) or
 * `unreadable` (the secret could not be read).
 */
export type CredentialsErrorKind = 'not-set' | 'malformed' | 'unreadable'

/** The credentials cannot be used; the operator must act. The message never contains a value of the secret. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError'
  readonly kind: CredentialsErrorKind

  constructor(kind: CredentialsErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
