import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import type {
  ExchangeRequest,
  UpstreamFailureKind,
  UpstreamResponse,
} from '../../../functions/upstream/exchange.ts'
import { type RawServer, rawResponse, type Serve } from './raw-server.ts'
import { exchangeTests, failureOf, get, nothingOpen, sleep } from './started-exchange.ts'

const { prepare } = exchangeTests()

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`
const write =
  (text: string): Serve =>
  (socket) =>
    socket.write(text)
const cutOffAfter =
  (text: string): Serve =>
  (socket) =>
    socket.end(text)

describe('an incomplete response', () => {
  const stuck = `${ok}Content-Length: 10\r\n\r\nhalf`
  const reset = (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 10)

  it.each<[string, UpstreamFailureKind, Serve, Partial<ExchangeRequest>]>([
    ['reset before headers', 'interrupted', (socket) => socket.resetAndDestroy(), {}],
    ['closed before headers', 'interrupted', (socket) => socket.end(), {}],
    ['closed within headers', 'interrupted', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'), {}],
    ['reset after headers', 'interrupted', (socket) => socket.write(stuck, () => reset(socket)), {}],
    ['cut off before its length', 'interrupted', (socket) => socket.end(stuck), {}],
    ['cut off between chunks', 'interrupted', cutOffAfter(`${chunked}3\r\nabc\r\n`), {}],
    ['cut off within a chunk', 'interrupted', cutOffAfter(`${chunked}ff\r\nabc`), {}],
    ['not HTTP', 'unreadable', write('SSH-2.0-OpenSSH_9.9\r\n'), {}],
    [
      'another protocol',
      'unreadable',
      write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      {},
    ],
    ['silence before headers', 'timeout', () => {}, { totalMs: 300 }],
    ['silence before headers for longer than idleMs', 'timeout', () => {}, { idleMs: 300 }],
    ['silence within the body', 'timeout', write(stuck), { idleMs: 300 }],
    ['silence after 103', 'timeout', write('HTTP/1.1 103 Early Hints\r\n\r\n'), { idleMs: 300 }],
    ['a body that is too large', 'too-large', write(rawResponse('x'.repeat(11))), { maxBytes: 10 }],
    ['an endless body', 'too-large', write(`${chunked}b\r\nxxxxxxxxxxx\r\n`), { maxBytes: 10 }],
  ])('%s is %s, and its connection is closed', async (_, kind, ...[serve, change]) => {
    const { server, exchange } = await prepare(serve)
    expect(await failureOf(exchange(get(change)))).toMatchObject({ kind, sent: true })
    expect(server.connections()).toBe(1)
    await nothingOpen(server)
  })

  const twoBytes = 'Content-Length: 2\r\n\r\n'
  const both = 'it has both Content-Length and Transfer-Encoding'
  const bareLineFeed = 'its lines end with LF instead of CR LF'

  it.each([
    [
      'two lengths',
      `${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]`,
      'it has two Content-Length headers',
    ],
    ['a length with chunks', `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, both],
    ['chunks with a length', `${ok}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`, both],
    ['a folded header', `${ok}X-A: 1\r\n 2\r\n\r\n`, 'one of its headers is folded over several lines'],
    ['a large header', `${ok}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 'its headers are larger than 16 KB'],
    ['many headers', `${ok}${'X-Another: 1\r\n'.repeat(9_000)}\r\n`, 'its headers are larger than 16 KB'],
    ['bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\n[]', bareLineFeed],
    ['a bare line feed', `${ok}X-A: 1\nContent-Length: 2\r\n\r\n[]`, bareLineFeed],
    ['a length in words', `${ok}Content-Length: two\r\n\r\n[]`, 'its Content-Length is not a number'],
    ['a control character', `${ok}X-A: a\x01\r\n\r\n`, 'the HTTP parser reports "Invalid header value char"'],
    ['a space in a name', `${ok}X A: 1\r\n\r\n`, 'the HTTP parser reports "Invalid header token"'],
    ['chunks without sizes', `${chunked}zz\r\n[]\r\n`, 'its chunks are malformed'],
    ['chunks that are longer than they say', `${chunked}2\r\n[]XX`, 'its chunks are malformed'],
    ['more bytes than its length', `${ok}Content-Length: 2\r\n\r\n[]more`, 'other bytes follow its end'],
    ['more bytes than its last', `${ok}Connection: close\r\n${twoBytes}[]more`, 'other bytes follow its end'],
    ['another version', 'HTTP/2 200\r\n\r\n', 'its HTTP version is not 1.0 or 1.1'],
    ['no status line', '<html></html>', 'it is not HTTP/1.1'],
  ])('with %s cannot be read, which its reason explains', async (_, bytes, reason) => {
    const { exchange } = await prepare((socket) => socket.write(Buffer.from(bytes, 'latin1')))
    const failure = await failureOf(exchange(get()))
    expect(failure).toMatchObject({ kind: 'unreadable', sent: true })
    expect(failure.reason).toBe(`the response of the platform cannot be read: ${reason}`)
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
    expect((await exchange(get({ method: 'PATCH', body: Buffer.alloc(9e6, 'x') }))).status).toBe(413)
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
