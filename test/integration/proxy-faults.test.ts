import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type RawServer, startRawServer } from '../unit/upstream/raw-server.ts'
import { proxyBehindGateway } from './proxy-gateway.ts'

let upstream: RawServer
let respond: (socket: Socket) => void
beforeAll(async () => {
  upstream = await startRawServer((socket) => respond(socket))
})
afterAll(() => upstream.close())
beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue()
  upstream.requests.length = 0
})
afterEach(() => void vi.restoreAllMocks())
const call = proxyBehindGateway({ url: () => upstream.url, timeoutSeconds: 0.7 })

/** Sent to the platform once, whatever the outcome. */
const scroll = '/api/dataentities/CL/scroll'
const patch = {
  path: '/api/rns/subscriptions/s1',
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: '{"item":{"quantity":2}}',
} as const

/** A response byte for byte; `close` ends the connection after it. */
interface RawResponse {
  readonly head: readonly string[]
  readonly body?: string | Buffer
  /** Sent after the response has been read. */
  readonly later?: string
  readonly close?: true
}
const respondWith = ({ head, body = '', later, close }: RawResponse) => {
  respond = (socket) => {
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]))
    if (later) setTimeout(() => socket.write(later), 30)
    if (close) socket.end()
  }
}
const ok = 'HTTP/1.1 200 OK'
const json = 'Content-Type: application/json'
const three = 'Content-Length: 3'

describe('an invalid response is a problem', () => {
  const invalid: Readonly<Record<string, Readonly<Record<string, RawResponse>>>> = {
    'upstream-interrupted': {
      'a body shorter than its length': { head: [ok, 'Content-Length: 9'], body: '[1]', close: true },
    },
    'upstream-timeout': {
      'a body shorter than its length, and then silence': { head: [ok, 'Content-Length: 9'], body: '[1]' },
    },
    'upstream-response-unusable': {
      'a length and chunks': {
        head: [ok, three, 'Transfer-Encoding: chunked'],
        body: '3\r\n[1]\r\n0\r\n\r\n',
      },
      'more bytes than its length, at once': { head: [ok, three], body: '[1]and more' },
      'a transfer coding that was not requested': {
        head: [ok, 'Transfer-Encoding: gzip, chunked'],
        body: '3\r\n[1]\r\n0\r\n\r\n',
      },
      'malformed gzip, for a caller that does not accept gzip': {
        head: [ok, 'Content-Encoding: gzip', three],
        body: Buffer.from([0x1f, 0x8b, 0]),
      },
    },
    'upstream-redirect': {
      'a redirect': { head: ['HTTP/1.1 302 Found', 'Location: http://127.0.0.1/', 'Content-Length: 0'] },
    },
  }
  const rows = Object.entries(invalid).flatMap(([problem, responses]) =>
    Object.entries(responses).map(([title, raw]) => [title, raw, problem] as const),
  )

  test.each(rows)('%s', async (_, raw, problem) => {
    respondWith(raw)
    const response = await call(scroll)
    expect(response.headers['content-type']).toBe('application/problem+json')
    expect(response.json().type).toBe(`urn:longshore:problem:${problem}`)
    expect(response.json().status).toBe(response.status)
    expect(response.body.toString()).not.toMatch(/127\.0\.0\.1|node:/)
    expect(upstream.requests).toHaveLength(1)
    const update = await call(patch.path, patch)
    expect(update.json().type).toBe(`urn:longshore:problem:${problem}`)
    expect(upstream.requests).toHaveLength(2)
    respondWith({ head: [ok, json, three], body: '[2]' })
    expect((await call(scroll)).body.toString()).toBe('[2]')
  })
})

test('a repeated header is joined, except those that can occur only once', async () => {
  const twice = ['Content-Type: a/b', 'Content-Type: c/d', 'REST-Content-Total: 1', 'REST-Content-Total: 2']
  respondWith({ head: [ok, ...twice, three], body: '[1]' })
  expect((await call(scroll)).headers).toMatchObject({ 'content-type': 'a/b', 'rest-content-total': '1, 2' })
})

test('a page with a token that is not ASCII is a problem', async () => {
  respondWith({ head: [ok, 'X-SVC-MD-TOKEN: \xc3\xa9', three], body: '[1]' })
  expect((await call(scroll)).json()).toMatchObject({
    type: 'urn:longshore:problem:upstream-response-unusable',
    upstreamStatus: 200,
    detail: expect.stringContaining('x-svc-md-token'),
  })
  expect((await call(patch.path, patch)).status).toBe(200)
})

test('a response that arrives byte by byte is aborted when the time is over', async () => {
  respond = (socket) => {
    socket.write(`${ok}\r\nContent-Length: 1000\r\n\r\n`)
    const drip = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(drip))
  }
  const startedAt = Date.now()
  const response = await call(patch.path, patch)
  // All bytes would take 50 s.
  expect(Date.now() - startedAt).toBeLessThan(25_000)
  expect(response.json()).toMatchObject({ status: 504, outcome: 'unknown' })
})
