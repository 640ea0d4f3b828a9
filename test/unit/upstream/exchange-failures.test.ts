import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type { UpstreamFailureKind } from '../../../functions/upstream/errors.ts'
import type { ExchangeRequest, UpstreamResponse } from '../../../functions/upstream/exchange.ts'
import { type RawServer, rawResponse, type Serve } from './raw-server.ts'
import { exchangeTests, failureOf, get, nothingOpen, sleep } from './started-exchange.ts'

const { prepare } = exchangeTests()

describe('an incomplete response', () => {
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

  it('is not a response that arrives before all of a long PATCH was read', async () => {
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
