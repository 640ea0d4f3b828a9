import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import {
  api,
  getJson,
  postJson,
  RequestFailed,
  Unreachable,
  withQuery,
} from '../../../../console/client/request.ts'

const received: string[] = []
let server: Server

function respond({ method, url, headers }: IncomingMessage, response: ServerResponse, body: string): void {
  received.push([method, url, headers['content-type'] ?? '', body].join(' ').trimEnd())
  if (url?.endsWith('/gone')) response.destroy()
  else if (url?.endsWith('/cut')) {
    response.writeHead(200, { 'content-length': 99 })
    response.write('{"a":', () => response.destroy())
  } else if (url?.endsWith('/refused')) {
    response.writeHead(409).end('{"message":"In progress.","fix":"wait"}')
  } else if (url?.endsWith('/proxy')) {
    response.writeHead(502).end(method === 'GET' ? '<h1>Bad Gateway</h1>' : 'null')
  } else if (!url?.endsWith('/slow')) response.end('{"a":1}')
}

beforeAll(async () => {
  server = createServer((request, response) => {
    text(request).then(
      (body) => respond(request, response, body),
      () => response.destroy(),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { fetch } = globalThis
  // A browser resolves paths against the URL of the page.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init))
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => void received.splice(0))

it('reads JSON below the prefix of the API', async () => {
  expect(await getJson('/entities/CL')).toEqual({ a: 1 })
  expect(received).toEqual(['GET /console/api/entities/CL'])
})

it('sends JSON to change something', async () => {
  expect(await postJson('/start', { acceptShrink: true })).toEqual({ a: 1 })
  await postJson('/cancel')
  expect(received).toEqual([
    'POST /console/api/start application/json {"acceptShrink":true}',
    'POST /console/api/cancel application/json {}',
  ])
})

it('fails with the message and the fix of a refusal', async () => {
  const failure = await getJson('/refused').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(RequestFailed)
  expect(failure).toMatchObject({ status: 409, message: 'In progress.', fix: 'wait' })
})

it.each([getJson, postJson])('fails with the status of a response of another server: %o', async (call) => {
  const failure = await call('/proxy').catch((error: unknown) => error)
  expect(failure).toMatchObject({ status: 502, message: 'The console responded with status 502.' })
  expect(failure).toBeInstanceOf(RequestFailed)
})

it('is unreachable if the response is cut off or there is none', async () => {
  await expect(getJson('/cut')).rejects.toEqual(new Unreachable('The response was cut off.'))
  const failure = await getJson('/gone').catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Unreachable)
  expect(failure).toMatchObject({ message: 'The console is not responding.', cause: expect.any(TypeError) })
})

it('ends without a message for the operator if the view has been left', async () => {
  const controller = new AbortController()
  const failure = getJson('/slow', controller.signal).catch((error: unknown) => error)
  controller.abort()
  expect(await failure).toMatchObject({ name: 'AbortError' })
})

it('encodes each segment of a path', () =>
  expect(api`/entities/${'C/L'}/runs/${'?#'}/cancel`).toBe('/entities/C%2FL/runs/%3F%23/cancel'))

it('encodes the values of a query', () => {
  const path = withQuery('/documents', { id: 'a b&c=1#+ü', from: '50' })
  expect(path).toMatch(/^\/documents\?id=/)
  expect(new URL(path, 'http://console').searchParams.get('id')).toBe('a b&c=1#+ü')
  expect(new URL(path, 'http://console').searchParams.get('from')).toBe('50')
})
