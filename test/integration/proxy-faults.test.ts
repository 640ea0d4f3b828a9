import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
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

describe('unusual complete responses are relayed', () => {
  test.each<[string, RawResponse, number?, string?]>([
    ['of HTTP/1.0, until the end of the connection', { head: ['HTTP/1.0 200 OK'], body: '[1]', close: true }],
    ['without a length, until the end of the connection', { head: [ok], body: '[1]', close: true }],
    [
      'in chunks with extensions and a trailer',
      {
        head: [ok, 'Transfer-Encoding: chunked', 'Trailer: X-SVC-MD-TOKEN'],
        body: '2;a=b\r\n[1\r\n1\r\n]\r\n0\r\nX-SVC-MD-TOKEN: late\r\n\r\n',
      },
    ],
    ['without a reason', { head: ['HTTP/1.1 404', 'Content-Length: 2'], body: 'no' }, 404, 'no'],
    [
      'with a reason of any bytes',
      { head: ['HTTP/1.1 503 \xe9\x80!', 'Content-Length: 2'], body: 'no' },
      503,
      'no',
    ],
    [
      'with a status that has no name',
      { head: ['HTTP/1.1 299 X', 'Content-Length: 2'], body: 'ok' },
      299,
      'ok',
    ],
    [
      'after 100 and 103',
      {
        head: [
          'HTTP/1.1 100 Continue',
          '',
          'HTTP/1.1 103 Early Hints',
          'Link: </a>; rel=preload',
          '',
          ok,
          three,
        ],
        body: '[1]',
      },
    ],
    ['followed by a part of another one', { head: [ok, three], body: '[1]HTTP/1.1 200 OK' }],
    ['304 with the length that its body would have', { head: ['HTTP/1.1 304 Not Modified', three] }, 304, ''],
    ['204 with a length', { head: ['HTTP/1.1 204 No Content', three] }, 204, ''],
    ['205 with a body', { head: ['HTTP/1.1 205 Reset Content', three], body: '[1]' }, 205, '[1]'],
    ['followed by another', { head: [ok, three], body: `[1]${ok}\r\nContent-Length: 3\r\n\r\n[9]` }],
    [
      'followed by another later',
      { head: [ok, three], body: '[1]', later: `${ok}\r\nContent-Length: 3\r\n\r\n[9]` },
    ],
    ['followed by garbage later', { head: [ok, three], body: '[1]', later: 'garbage' }],
  ])('%s', async (_, ...[raw, status = 200, body = '[1]']) => {
    respondWith(raw)
    const response = await call(scroll)
    expect(response.status).toBe(status)
    expect(response.body.toString()).toBe(body)
    await new Promise((resolve) => setTimeout(resolve, raw.later ? 80 : 0))
    // Nothing of it remains on the connection for the next request.
    respondWith({ head: [ok, three], body: '[2]' })
    expect((await call(scroll)).body.toString()).toBe('[2]')
  })
})

describe('an invalid response is a problem', () => {
  const invalid: Readonly<Record<string, Readonly<Record<string, RawResponse>>>> = {
    'upstream-interrupted': {
      'a body shorter than its length': { head: [ok, 'Content-Length: 9'], body: '[1]', close: true },
      'chunks without an end': {
        head: [ok, 'Transfer-Encoding: chunked'],
        body: '3\r\n[1]\r\n',
        close: true,
      },
      '100 and then the end of the connection': { head: ['HTTP/1.1 100 Continue'], close: true },
      'no bytes at all': { head: [], close: true },
    },
    'upstream-timeout': {
      'a body shorter than its length, and then silence': { head: [ok, 'Content-Length: 9'], body: '[1]' },
      '100 and then silence': { head: ['HTTP/1.1 100 Continue'] },
    },
    'upstream-response-unusable': {
      'a length and chunks': {
        head: [ok, three, 'Transfer-Encoding: chunked'],
        body: '3\r\n[1]\r\n0\r\n\r\n',
      },
      'two lengths': { head: [ok, three, 'Content-Length: 4'], body: '[1]!' },
      'a length that is not a number': { head: [ok, 'Content-Length: three'], body: '[1]' },
      'a negative length': { head: [ok, 'Content-Length: -3'], body: '[1]' },
      'a length beyond all numbers': { head: [ok, 'Content-Length: 99999999999999999999999'], body: '[1]' },
      'a chunk without a size': { head: [ok, 'Transfer-Encoding: chunked'], body: 'x\r\n[1]\r\n0\r\n\r\n' },
      'a chunk larger than its size': {
        head: [ok, 'Transfer-Encoding: chunked'],
        body: '1\r\n[1]\r\n0\r\n\r\n',
      },
      'a head that is not HTTP': { head: ['hello'], close: true },
      'a head that does not end': { head: [`${ok}\r\nX: ${'x'.repeat(70_000)}`] },
      'NUL in a header': { head: [ok, 'X-Other: a\0b', three], body: '[1]' },
      'a space in the name of a header': { head: [ok, 'X Other: a', three], body: '[1]' },
      'another protocol (101)': {
        head: ['HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: upgrade'],
      },
      'status 1000': { head: ['HTTP/1.1 1000 X', 'Content-Length: 0'] },
      'a folded header line': { head: [ok, 'X-Other: a', ' b', three], body: '[1]' },
      'bare line feeds in the head': { head: [`${ok}\nContent-Length: 3`], body: '[1]' },
      'HTTP/2 as a version of HTTP/1': { head: ['HTTP/2 200 OK', three], body: '[1]' },
      'more bytes than its length, at once': { head: [ok, three], body: '[1]and more' },
      '204 with a body': { head: ['HTTP/1.1 204 No Content'], body: '[1]' },
      '304 with a body': { head: ['HTTP/1.1 304 Not Modified', three], body: '[1]' },
      'status 600': { head: ['HTTP/1.1 600 X', 'Content-Length: 0'] },
      'status 999': { head: ['HTTP/1.1 999 X', 'Content-Length: 0'] },
      'status 099': { head: ['HTTP/1.1 099 X', 'Content-Length: 0'] },
      'a transfer coding that was not requested': {
        head: [ok, 'Transfer-Encoding: gzip, chunked'],
        body: '3\r\n[1]\r\n0\r\n\r\n',
      },
      'a transfer coding until the end of the connection': {
        head: [ok, 'Transfer-Encoding: gzip'],
        body: '[1]',
        close: true,
      },
      'a type that is not ASCII': { head: [ok, 'Content-Type: text/\xe9', three], body: '[1]' },
      'malformed gzip, for a caller that does not accept gzip': {
        head: [ok, 'Content-Encoding: gzip', three],
        body: Buffer.from([0x1f, 0x8b, 0]),
      },
      'truncated gzip, for a caller that does not accept gzip': {
        head: [ok, 'Content-Encoding: gzip'],
        body: gzipSync('x'.repeat(99)).subarray(0, 15),
        close: true,
      },
    },
    'upstream-redirect': {
      'a redirect': { head: ['HTTP/1.1 302 Found', 'Location: http://127.0.0.1/', 'Content-Length: 0'] },
      'multiple choices': { head: ['HTTP/1.1 300 X', 'Content-Length: 0'] },
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

describe('unusual requests', () => {
  const dock = '/api/logistics/pvt/configuration/docks/'
  const search = '/api/dataentities/CL/search'
  const sent = () => upstream.requests.map((request) => request.split('\r\n')[0])
  beforeEach(() => respondWith({ head: [ok, json, 'Content-Length: 2'], body: '{}' }))

  test.each<[string, string, string?]>([
    ['letters of any script', `${dock}d%C3%B4ck%F0%9F%9A%9A`],
    ['reserved characters in a path value', `${dock}a%26d;e,f+g`, `${dock}a%26d%3Be%2Cf%2Bg`],
    ['dots within', `${dock}..a..`],
    ['a long path value', dock + 'a'.repeat(5000)],
    ['many values of one parameter, in order', `${search}?${'a=2&a=1&'.repeat(400)}_sort=id`],
    ['NUL, line ends and half characters in a value', `${search}?a=%00%0d%0A%ff%ED%A0%80`],
    ['a query within the query', `${search}?a=b?c=d%26e=f`],
  ])('%s: forwarded unchanged', async (_, path, target = path) => {
    expect((await call(path)).status).toBe(200)
    expect(sent()).toEqual([`GET ${target} HTTP/1.1`])
  })

  test.each([
    ['an escaped percent sign in the path', `${dock}100%25`, {}],
    ['an escaped escape in the path', `${dock}a%252Fb`, {}],
    ['an escaped number sign in the path', `${dock}a%23b`, {}],
    ['NUL in the path', `${dock}a%00`, {}],
    ['a line end in the path', `${dock}a%0d%0aX:%20y`, {}],
    ['a relative path segment', `${dock}%2e%2e`, {}],
    ['a backslash', `${dock}a%5C..%5Cb`, {}],
    ['an unlisted parameter', `${dock}1?an=1`, {}],
    ['NUL in the name of a parameter', `${search}?a%00b=1`, {}],
    ['a malformed escape', `${search}?a=%zz`, {}],
    ['letters beyond ASCII in a header', search, { accept: 'text/\u00e9' }],
    ['a range with letters', search, { 'rest-range': 'resources=0-1e1' }],
  ])('%s is a 400, and nothing is sent', async (_, path, headers) => {
    const response = await call(path, { headers })
    expect(response.status).toBe(400)
    expect(response.json().type).toBe('urn:longshore:problem:invalid-request')
    expect(sent()).toEqual([])
  })

  test.each([
    ['an escaped slash, which API Gateway decodes before it matches routes,', `${dock}a%2Fb`, 404],
    ['half a character in a path value', `${dock}%ED%A0%80`, 400],
    ['an empty path value', dock, 404],
  ])('%s never reaches the function', async (_, path, status) => {
    expect((await call(path)).status).toBe(status)
    expect(sent()).toEqual([])
  })

  test.each([
    ['an escaped lone surrogate', '{"status":"\\ud800\\u0000"}', 200],
    ['U+FFFD', '{"status":"\ufffd"}', 200],
    ['a list within lists within lists', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 200],
    ['a NUL byte', '{"status":"\0"}', 400],
    ['an encoded lone surrogate', Buffer.from('{"status":"\xed\xa0\x80"}', 'latin1'), 400],
    ['a compressed body', gzipSync('{}'), 400],
    ['UTF-16', Buffer.from('{"status":"A"}', 'utf16le'), 400],
  ])('a body with %s', async (_, body, status) => {
    const response = await call(patch.path, { ...patch, body })
    expect(response.status).toBe(status)
    expect(sent()).toHaveLength(status === 200 ? 1 : 0)
  })
})
