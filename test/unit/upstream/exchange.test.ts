import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { createExchange } from '../../../functions/upstream/exchange.ts'
import { rawResponse } from './raw-server.ts'
import { exchangeTests, failureOf, get, sleep } from './started-exchange.ts'

const { closeLater, listen, prepare } = exchangeTests()

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
    closeLater(() => new Promise((resolve) => plain.close(resolve)))
    const { port } = plain.address() as AddressInfo
    expect(await failureOf(createExchange(`https://127.0.0.1:${port}`)(get()))).toMatchObject({
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

  it('has every value of a header that intermediaries repeat, and equal ones once', async () => {
    const { exchange } = await prepare((socket) =>
      socket.write(
        rawResponse('', '200 OK', ['Age: 0', 'Retry-After: 5', 'AGE: 3600', 'age: 0', 'Retry-After: 5']),
      ),
    )
    expect((await exchange(get())).headers).toMatchObject({ age: '0, 3600', 'retry-after': '5' })
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
