import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { type ConsoleResponse, jsonResponse, sendResponse } from '../../../../console/server/respond.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Sends a response to a request of this method. `sent` is how that ended. */
async function exchange(result: ConsoleResponse, method = 'GET') {
  const { promise: sent, resolve } = Promise.withResolvers<string>()
  const server = createServer((_, response) => {
    sendResponse(response, result).then(
      () => resolve('completely'),
      ({ message }: Error) => resolve(message),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close().closeAllConnections()
  })
  const asked = request({ port: (server.address() as AddressInfo).port, method }).end()
  const [response] = await once(asked, 'response')
  return { response: response as IncomingMessage, sent }
}

it('sends a response under the policy of the page', async () => {
  const { response } = await exchange(jsonResponse(409, { message: 'In progress.' }))
  expect([response.statusCode, await text(response)]).toEqual([409, '{"message":"In progress."}'])
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
      "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
})

it.each(['text', Buffer.from('text')])('sends no body for HEAD', async (body) => {
  const { response } = await exchange({ status: 200, body }, 'HEAD')
  expect(await text(response)).toBe('')
  expect(await text((await exchange({ status: 200, body })).response)).toBe('text')
})

const chunk = Buffer.alloc(1_000_000, 'x')

it('sends what is produced, as fast as it is received', async () => {
  let produced = 0
  async function* body() {
    while (produced < 50) {
      produced++
      yield chunk
    }
  }
  const { response, sent } = await exchange({ status: 200, body: body() })
  await new Promise((done) => setTimeout(done, 100))
  expect(produced).toBeLessThan(40)
  expect((await text(response)).length).toBe(50 * chunk.length)
  expect(await sent).toBe('completely')
})

it('cuts the response off if its body fails', async () => {
  async function* body() {
    yield chunk
    throw new Error('damaged')
  }
  const { response, sent } = await exchange({ status: 200, body: body() })
  await expect(text(response)).rejects.toThrow('aborted')
  expect(await sent).toBe('damaged')
})

it('stops producing when the browser has left', async () => {
  let produced = 0
  async function* body() {
    while (produced < 100) {
      produced++
      yield chunk
    }
  }
  const { response, sent } = await exchange({ status: 200, body: body() })
  response.destroy()
  expect(await sent).toBe('Premature close')
  expect(produced).toBeLessThan(100)
})
