import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UpstreamFailure, type UpstreamFailureKind } from '../../../functions/upstream/errors.ts'
import {
  createExchange,
  type ExchangeRequest,
  type UpstreamResponse,
} from '../../../functions/upstream/exchange.ts'
import { type RawServer, rawResponse, type Serve, startRawServer } from './raw-server.ts'
import { selfSigned } from './self-signed.ts'

const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  closing.length = 0
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  for (const close of closing) await close()
})

/** Listens on a free port until the test ends. Returns host and port. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function prepare(serve: Serve, host?: string) {
  const server = await startRawServer(serve, host)
  closing.push(() => server.close())
  return { server, exchange: createExchange(server.url) }
}

const get = (change: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'GET',
  target: '/things?a=1',
  headers: { Accept: 'application/json' },
  totalMs: 5_000,
  ...change,
})

async function failureOf(promise: Promise<UpstreamResponse>): Promise<UpstreamFailure> {
  const error = await promise.then(
    ({ status, body }) => new Error(`answered ${status} ${body.toString()}`),
    (caught: unknown) => caught,
  )
  if (!(error instanceof UpstreamFailure)) throw error
  return error
}

const nothingOpen = (server: RawServer) => vi.waitFor(() => expect(server.open()).toBe(0), 20_000)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('an exchange', () => {
  it.each([
    ['a response', (socket: Socket) => socket.write(rawResponse(''))],
    ['a failure', (socket: Socket) => socket.destroy()],
  ])('leaves no timer behind after %s, which would keep the process busy', async (_, serve) => {
    const { exchange } = await prepare(serve)
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const totalMs = 4_321
    await exchange(get({ totalMs })).catch(() => {})
    const timers = set.mock.calls.flatMap(([, ms], index) =>
      ms === totalMs ? [set.mock.results[index]?.value as unknown] : [],
    )
    expect(timers).toHaveLength(3)
    for (const timer of timers) expect(clear).toHaveBeenCalledWith(timer)
  })

  it('is not sent to a server that does not speak TLS', async () => {
    const plain = createServer((_, response) => response.end())
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => plain.close(resolve)))
    const { port } = plain.address() as AddressInfo
    const failure = await failureOf(createExchange(`https://127.0.0.1:${port}`)(get()))
    expect(failure).toMatchObject({
      kind: 'unreachable',
      reason: `127.0.0.1:${port} does not speak TLS on this port`,
    })
  })
})

describe('a complete response', () => {
  it('is returned with status, headers in lower case and bytes', async () => {
    const { server, exchange } = await prepare((socket) =>
      socket.write(
        rawResponse('{"é": 1.10}', '206 Odd', ['X-Svc-MD-Token: AbC', 'Set-Cookie: a', 'Set-Cookie: b']),
      ),
    )
    const result = await exchange(get())
    expect(result).toMatchObject({ status: 206, body: Buffer.from('{"é": 1.10}') })
    expect(result.headers).toMatchObject({ 'x-svc-md-token': 'AbC', 'set-cookie': ['a', 'b'] })
    expect(server.requests[0]).toMatch(/^GET \/things\?a=1 HTTP\/1\.1\r\n/)
  })

  it('follows a request whose target and header names are sent unchanged', async () => {
    const { server, exchange } = await prepare((socket) => socket.write(rawResponse('')))
    const headers = { 'X-SVC-API-AppKey': 'Key', 'REST-Range': 'resources=0-10' }
    await exchange(get({ target: '/a%2Fb/%C3%A9?_where=a%3D1&x&x=%20+', headers }))
    expect(server.requests[0]).toContain('GET /a%2Fb/%C3%A9?_where=a%3D1&x&x=%20+ HTTP/1.1\r\n')
    expect(server.requests[0]).toContain('\r\nX-SVC-API-AppKey: Key\r\nREST-Range: resources=0-10\r\n')
    expect(server.requests[0]).toContain(`\r\nHost: 127.0.0.1:${server.port}\r\n`)
    expect(server.requests[0]).not.toMatch(/content-length|transfer-encoding/i)
  })

  it.each([
    [
      'in chunks',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n'],
      'abcde',
    ],
    ['byte by byte', rawResponse('abcde').split(''), 'abcde'],
    ['ended by the end of the connection', ['HTTP/1.0 200 OK\r\n\r\nab', 'cde', 'END'], 'abcde'],
    [
      'with a trailer',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\na\r\n0\r\nX: 1\r\n\r\n'],
      'a',
    ],
    [
      'after 103 and 100',
      ['HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n', `HTTP/1.1 100 Continue\r\n\r\n${rawResponse('a')}`],
      'a',
    ],
    ['empty', [rawResponse('')], ''],
    ['204', ['HTTP/1.1 204 No Content\r\n\r\n'], ''],
    [
      '304 with the length of the body that it does not have',
      ['HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n'],
      '',
    ],
  ])('is read completely: %s', async (_, pieces, expected) => {
    const { exchange } = await prepare(async (socket) => {
      for (const piece of pieces) {
        if (piece === 'END') socket.end()
        else socket.write(piece)
        await sleep(1)
      }
    })
    const { body, status } = await exchange(get())
    expect(body.toString()).toBe(expected)
    expect(status).not.toBe(103)
  })

  it('may be a redirect or an error', async () => {
    const { server, exchange } = await prepare((socket, number) =>
      socket.write(
        rawResponse('x', number === 1 ? '302 Found' : '503 Busy', [`Location: ${server.url}/other`]),
      ),
    )
    expect((await exchange(get())).status).toBe(302)
    expect((await exchange(get())).status).toBe(503)
    expect(server.requests).toHaveLength(2)
  })

  it('follows a PATCH that is sent with its body byte for byte', async () => {
    const received: { request: IncomingMessage; body: string }[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ request, body })
        response.end('{}')
      })
    })
    const exchange = createExchange(`http://${await listen(server)}`)
    const body = Buffer.from(`{ "item" : "é${'x'.repeat(200_000)}" }`)
    await exchange(get({ method: 'PATCH', body, headers: { 'Content-Type': 'application/json; charset=x' } }))
    await exchange(get({ method: 'PATCH', body: Buffer.alloc(0) }))
    expect(received.map((one) => one.body)).toEqual([body.toString(), ''])
    expect(received.map(({ request }) => request.method)).toEqual(['PATCH', 'PATCH'])
    expect(received.map(({ request }) => request.headers['content-length'])).toEqual([
      String(body.length),
      '0',
    ])
    expect(received[0]?.request.headers).toMatchObject({ 'content-type': 'application/json; charset=x' })
    expect(received[0]?.request.headers['transfer-encoding']).toBeUndefined()
  })

  it('may come from an IPv6 address', async () => {
    const { server, exchange } = await prepare((socket) => socket.write(rawResponse('six')), '::1')
    expect((await exchange(get())).body.toString()).toBe('six')
    expect(server.requests[0]).toContain(`\r\nHost: [::1]:${server.port}\r\n`)
  })
})

describe('connections are reused', () => {
  it('by consecutive exchanges', async () => {
    const { server, exchange } = await prepare((socket) => socket.write(rawResponse('x')))
    for (let count = 0; count < 5; count++) await exchange(get())
    expect(server.connections()).toBe(1)
    expect(server.requests).toHaveLength(5)
  })

  it('not by concurrent exchanges, and not after Connection: close', async () => {
    const { server, exchange } = await prepare((socket) =>
      socket.end(rawResponse('x', '200 OK', ['Connection: close'])),
    )
    await Promise.all([exchange(get()), exchange(get())])
    await exchange(get())
    expect(server.connections()).toBe(3)
  })

  it('not after a failed exchange', async () => {
    const { server, exchange } = await prepare((socket, number) => {
      if (number > 1) socket.write(rawResponse('second'))
    })
    expect((await failureOf(exchange(get({ totalMs: 300 })))).kind).toBe('timeout')
    expect((await exchange(get())).body.toString()).toBe('second')
    expect(server.connections()).toBe(2)
  })

  it('and a second answer to one request is never taken for the response to the next', async () => {
    const { exchange } = await prepare((socket, number) =>
      socket.write(number === 1 ? rawResponse('first') + rawResponse('smuggled') : rawResponse('second')),
    )
    const first = await exchange(get()).catch((error: UpstreamFailure) => error.kind)
    expect(['interrupted', 'first']).toContain(typeof first === 'string' ? first : first.body.toString())
    await sleep(20)
    expect((await exchange(get())).body.toString()).toBe('second')
  })

  it('and a response without a request is never taken for the response to the next', async () => {
    const { exchange } = await prepare((socket, number) => {
      socket.write(rawResponse(`answer ${number}`))
      if (number === 1) setTimeout(() => socket.write(rawResponse('smuggled')), 30)
    })
    expect((await exchange(get())).body.toString()).toBe('answer 1')
    await sleep(80)
    expect((await exchange(get())).body.toString()).toBe('answer 2')
  })
})

describe('an idle connection', () => {
  const served: Serve = (socket) => socket.write(rawResponse('x'))

  async function connectionsAfter(idleMs: number, onceOnly: boolean, pass: (ms: number) => unknown) {
    const { server, exchange } = await prepare(served)
    await exchange(get())
    // The agent takes the connection back after the response has been returned.
    await sleep(20)
    pass(idleMs)
    await exchange(get({ onceOnly }))
    return server.connections()
  }

  const wallClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  const monotonicClock = (ms: number) => {
    const start = performance.now()
    vi.spyOn(performance, 'now').mockReturnValue(start + ms)
  }

  it.each([
    ['is used for a request that must not be repeated if it was used just now', 0, true, 1],
    ['is used for a request that must not be repeated after a second', 1_000, true, 1],
    ['is not used for a request that must not be repeated after more than 1.5 s', 1_600, true, 2],
    ['is used for any other request after 49 s', 49_000, false, 1],
    ['is not used for any other request after more than 50 s', 50_500, false, 2],
    ['is not used after the function was frozen for an hour', 3_600_000, false, 2],
  ])('%s', async (_, ...[idleMs, onceOnly, connections]) => {
    expect(await connectionsAfter(idleMs, onceOnly, wallClock)).toBe(connections)
    vi.useRealTimers()
    expect(await connectionsAfter(idleMs, onceOnly, monotonicClock)).toBe(connections)
  })

  it('is not used after 1.6 s for a request that must not be repeated, even if the wall clock was set back', async () => {
    const connections = await connectionsAfter(1_600, true, (ms) => {
      monotonicClock(ms)
      wallClock(-3_600_000)
    })
    expect(connections).toBe(2)
  })

  it('is closed, and a fresh one is used', async () => {
    const { server, exchange } = await prepare((socket) => setTimeout(() => served(socket, 0), 30))
    await Promise.all([exchange(get()), exchange(get()), exchange(get())])
    expect(server.connections()).toBe(3)
    await sleep(20)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 })
    await exchange(get())
    await sleep(20)
    await exchange(get({ onceOnly: true }))
    expect(server.connections()).toBe(3)
    await vi.waitFor(() => expect(server.open()).toBe(1), 20_000)
  })
})

describe('an incomplete answer', () => {
  const stuck = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'
  const reset = (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 10)

  it.each<[string, UpstreamFailureKind, Serve, Partial<ExchangeRequest>]>([
    ['reset before headers', 'interrupted', (socket) => socket.resetAndDestroy(), {}],
    ['closed before headers', 'interrupted', (socket) => socket.end(), {}],
    ['closed within headers', 'interrupted', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'), {}],
    ['reset after headers', 'interrupted', (socket) => socket.write(stuck, () => reset(socket)), {}],
    ['cut off before its length', 'interrupted', (socket) => socket.end(stuck), {}],
    [
      'cut off between chunks',
      'interrupted',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'),
      {},
    ],
    [
      'cut off within a chunk',
      'interrupted',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'),
      {},
    ],
    ['not HTTP', 'interrupted', (socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'), {}],
    [
      'another protocol',
      'interrupted',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      {},
    ],
    ['silence before headers', 'timeout', () => {}, { totalMs: 300 }],
    ['silence before headers for longer than idleMs', 'timeout', () => {}, { idleMs: 300 }],
    [
      'silence within the body for longer than idleMs',
      'timeout',
      (socket) => socket.write(stuck),
      { idleMs: 300 },
    ],
    [
      'silence after 103',
      'timeout',
      (socket) => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
      { idleMs: 300 },
    ],
    [
      'a complete body that is too large',
      'too-large',
      (socket) => socket.write(rawResponse('x'.repeat(11))),
      { maxBytes: 10 },
    ],
    [
      'an endless body',
      'too-large',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nxxxxxxxxxxx\r\n'),
      { maxBytes: 10 },
    ],
  ])('%s is %s, and its connection is closed', async (_, kind, ...[serve, change]) => {
    const { server, exchange } = await prepare(serve)
    const failure = await failureOf(exchange(get(change)))
    expect(failure.kind).toBe(kind)
    expect(failure.sent).toBe(true)
    expect(server.connections()).toBe(1)
    await nothingOpen(server)
  })

  it('fails with its cause', async () => {
    const { exchange } = await prepare((socket) => socket.resetAndDestroy())
    expect((await failureOf(exchange(get()))).cause).toMatchObject({ code: 'ECONNRESET' })
  })

  /** Fails a request whose time is over as soon as the server has received it. */
  async function failureOnceReceived(server: RawServer, send: () => Promise<UpstreamResponse>) {
    const { length } = server.requests
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const failure = failureOf(send())
    while (server.requests.length === length) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(5_000)
    return failure
  }

  it('fails with the time as its cause if the platform is silent', async () => {
    const { server, exchange } = await prepare(() => {})
    const { cause } = await failureOnceReceived(server, () => exchange(get()))
    expect(cause).toMatchObject({ message: 'The time for the exchange is over.' })
  })

  it.each<[string, UpstreamFailureKind]>([
    ['reset', 'interrupted'],
    ['silent', 'timeout'],
  ])('was sent even on a reused connection that is %s', async (what, kind) => {
    const { server, exchange } = await prepare((socket, number) => {
      if (number === 1) socket.write(rawResponse('x'))
      else if (what === 'reset') socket.resetAndDestroy()
    })
    const send = () => exchange(get())
    await send()
    await sleep(20)
    const failure = what === 'reset' ? failureOf(send()) : failureOnceReceived(server, send)
    expect(await failure).toMatchObject({ kind, sent: true })
    expect(server.connections()).toBe(1)
  })

  it.each([
    ['with Content-Length', rawResponse('whole'), 'whole'],
    ['with Content-Length but without a body', 'HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n', ''],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n', 'whole'],
  ])('is not a response that arrives in pieces %s', async (_, result, expected) => {
    const { exchange } = await prepare(async (socket) => {
      for (const piece of [result.slice(0, -3), result.slice(-3)]) {
        socket.write(piece)
        await sleep(20)
      }
    })
    expect(String((await exchange(get())).body)).toBe(expected)
  })

  it('is not a body of the largest size', async () => {
    const { exchange } = await prepare((socket) => socket.write(rawResponse('x'.repeat(10))))
    expect((await exchange(get({ maxBytes: 10 }))).body.length).toBe(10)
  })

  it('ends after the total time, however often a byte arrives', async () => {
    const { server, exchange } = await prepare((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      const trickle = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(trickle))
    })
    const began = Date.now()
    expect((await failureOf(exchange(get({ totalMs: 400, idleMs: 200 })))).kind).toBe('timeout')
    expect(Date.now() - began).toBeGreaterThanOrEqual(390)
    await nothingOpen(server)
  })

  it('is not a body that takes longer than idleMs without a pause', async () => {
    const { exchange } = await prepare(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n')
      for (let count = 0; count < 8; count++) {
        socket.write('x')
        await sleep(60)
      }
    })
    expect((await exchange(get({ idleMs: 300 }))).body.toString()).toBe('xxxxxxxx')
  })

  it('is not a body within idleMs after the headers', async () => {
    const { exchange } = await prepare((socket) => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n'), 500)
      setTimeout(() => socket.write('x'), 1_000)
    })
    expect((await exchange(get({ idleMs: 850 }))).body.toString()).toBe('x')
  })

  it('is not a response to a long PATCH before all of it was read', async () => {
    const { exchange } = await prepare((socket) => {
      socket.pause()
      socket.end(rawResponse('too long', '413 Content Too Large', ['Connection: close']))
    })
    const result = await exchange(get({ method: 'PATCH', body: Buffer.alloc(9e6, 'x') }))
    expect(result.status).toBe(413)
  })

  it('ends at once if there is no time left', async () => {
    const { server, exchange } = await prepare(() => {})
    const began = Date.now()
    await failureOf(exchange(get({ totalMs: 0 })))
    // Less than the time to connect.
    expect(Date.now() - began).toBeLessThan(7_000)
    await nothingOpen(server)
  })
})

describe('a platform with TLS', () => {
  /** A server whose certificate is trusted only while certificates are not verified. */
  async function startTlsServer(result: RequestListener) {
    let requests = 0
    const server = createTlsServer(selfSigned(), (incoming, response) => {
      requests++
      result(incoming, response)
    })
    const exchange = createExchange(`https://${await listen(server)}`)
    return { exchange, requests: () => requests }
  }

  afterEach(() => void vi.unstubAllEnvs())

  it('answers, or was sent the request that it does not answer', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const { exchange } = await startTlsServer(({ url }, response) => {
      if (url === '/answered') response.end('secure')
    })
    expect(await failureOf(exchange(get({ totalMs: 1_000 })))).toMatchObject({ kind: 'timeout', sent: true })
    expect(String((await exchange(get({ target: '/answered' }))).body)).toBe('secure')
  })

  it('is unreachable if its certificate is not trusted', async () => {
    const { exchange, requests } = await startTlsServer((_, response) => void response.end('secure'))
    expect(await failureOf(exchange(get()))).toMatchObject({ kind: 'unreachable', sent: false })
    expect(requests()).toBe(0)
  })
})

describe('a platform that cannot be reached', () => {
  it('because it refuses connections', async () => {
    const { server, exchange } = await prepare(() => {})
    await server.close()
    const failure = await failureOf(exchange(get()))
    expect(failure).toMatchObject({
      kind: 'unreachable',
      sent: false,
      reason: expect.stringMatching(/^connection refused by 127/) as string,
      cause: { cause: { code: 'ECONNREFUSED' } },
    })
  })

  it('because its host name does not exist', async () => {
    const exchange = createExchange('http://nothing.invalid')
    expect((await failureOf(exchange(get({ totalMs: 3_000 })))).kind).toBe('unreachable')
  })

  it('because it does not speak TLS', async () => {
    const plain = createServer((_, response) => void response.end())
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => plain.close(resolve)))
    const exchange = createExchange(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`)
    expect(await failureOf(exchange(get()))).toMatchObject({ kind: 'unreachable', sent: false })
  })

  it('because it never answers the TLS handshake', async () => {
    const { server } = await prepare(() => {})
    const exchange = createExchange(server.url.replace('http:', 'https:'))
    expect((await failureOf(exchange(get({ totalMs: 200 })))).kind).toBe('unreachable')
    expect(server.connections()).toBe(1)
    await nothingOpen(server)
  })

  it('fails after 8 seconds of connecting, however much time is left', async () => {
    const { server } = await prepare(() => {})
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const exchange = createExchange(server.url.replace('http:', 'https:'))
    let failed: UpstreamFailure | undefined
    const failure = failureOf(exchange(get({ totalMs: 60_000 }))).then((error) => {
      failed = error
    })
    while (server.connections() === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(7_999)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(failed).toBeUndefined()
    vi.advanceTimersByTime(1)
    await failure
    expect(failed?.kind).toBe('unreachable')
  })

  it('has 8 seconds for connecting, but a response may take longer', async () => {
    const { server, exchange } = await prepare((socket) =>
      setTimeout(() => socket.write(rawResponse('late')), 9_000),
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const result = exchange(get({ totalMs: 60_000 }))
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(9_000)
    expect((await result).body.toString()).toBe('late')
  })
})

it('an exchange never keeps the process alive after its end', async () => {
  const { server } = await prepare((socket, number) => {
    if (number === 1) socket.write(rawResponse('whole'))
    if (number === 2) socket.resetAndDestroy()
    if (number === 3) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')
    if (number === 4) socket.write(rawResponse('x'.repeat(100)))
    if (number === 6) socket.write(rawResponse('whole'))
  })
  const program = `
    const { createExchange } = await import(${JSON.stringify(new URL('../../../functions/upstream/exchange.ts', import.meta.url).href)})
    const exchange = createExchange(${JSON.stringify(server.url)})
    const request = { method: 'GET', target: '/', headers: {}, totalMs: 600_000, idleMs: 300_000, maxBytes: 50 }
    const results = []
    const send = (to, change) => to({ ...request, ...change }).then(({ body }) => results.push(String(body)), ({ kind }) => results.push(kind))
    for (let count = 0; count < 4; count++) await send(exchange)
    await send(exchange, { idleMs: 300 })
    await send(createExchange('http://127.0.0.1:1'))
    await send(exchange)
    process.stdout.write(results.join(' '))`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const [code, results] = await Promise.all([ended, text(child.stdout)])
  clearTimeout(limit)
  expect(results).toBe('whole interrupted interrupted too-large timeout unreachable whole')
  expect(code).toBe(0)
})
