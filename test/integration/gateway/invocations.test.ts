import { describe, expect, it } from 'vitest'
import { useGateway } from './running-gateway.ts'

const { call, handler, served } = useGateway()

it.each([
  ['for a request to its loopback name', (port: string) => ({ host: `LOCALHOST:${port}` })],
  ['for a request to its IPv6 address', (port: string) => ({ host: `[::1]:${port}` })],
  ['for a request from its own page', (port: string) => ({ origin: `http://127.0.0.1:${port}` })],
  ['for a program that sends no browser headers', () => ({})],
])('the gateway invokes a function: %s', async (_how, headers) => {
  const { port } = new URL(served().endpoint)
  expect((await call('/docks/a', { headers: headers(port) })).status).not.toBe(403)
  expect(handler).toHaveBeenCalledTimes(1)
})

describe('the gateway invokes no function', () => {
  it.each([
    ['/elsewhere', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/a%2Fb', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/', 'GET', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/a', 'DELETE', { status: 404, body: '{"message":"Not Found"}' }],
    ['/docks/%FF', 'GET', { status: 400, body: '{"message":"Bad Request"}' }],
    ['/docks/100%', 'GET', { status: 400, body: '{"message":"Bad Request"}' }],
  ])('for %s %s', async (path, method, received) => {
    expect(await call(path, { method })).toMatchObject(received)
    expect(handler).not.toHaveBeenCalled()
  })

  it.each([
    ['another host name', { host: 'shop.example' }],
    ['a host name that only begins like ours', { host: 'localhost.example:80' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['an image on a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a link on a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('for a request from %s', async (_from, headers) => {
    const refused = await call('/docks/a', { headers })
    expect(refused.status).toBe(403)
    expect(JSON.parse(refused.body)).toEqual({ message: expect.any(String) as string })
    expect(handler).not.toHaveBeenCalled()
  })

  it('for a body of more than 10 MB, with or without a Content-Length', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1)
    const results = [
      await call('/docks/a', { method: 'PATCH', body }),
      await call('/docks/a', { method: 'PATCH', body, headers: { 'transfer-encoding': 'chunked' } }),
    ]
    expect(results.map(({ status }) => status)).toEqual([413, 413])
    expect(handler).not.toHaveBeenCalled()
  })

  it('for a body that is larger than 6 MB as an event, although it is smaller than 10 MB', async () => {
    const headers = { 'content-type': 'application/octet-stream' }
    const base64 = await call('/docks/a', { method: 'PATCH', headers, body: Buffer.alloc(4.6 * 1024 * 1024) })
    expect(base64).toMatchObject({ status: 413, body: '{"message":"Request Too Long"}' })
    expect(handler).not.toHaveBeenCalled()
    const fits = await call('/docks/a', { method: 'PATCH', headers, body: Buffer.alloc(4.4 * 1024 * 1024) })
    expect(fits.status).toBe(200)
  })

  it('for a request line and headers of more than 10,240 bytes together', async () => {
    const path = `/docks/a?q=${'x'.repeat(5_000)}`
    expect((await call(path, { headers: { 'x-note': 'y'.repeat(5_000) } })).status).toBe(200)
    handler.mockClear()
    expect(await call(path, { headers: { 'x-note': 'y'.repeat(5_300) } })).toMatchObject({
      status: 431,
      body: '{"message":"Request Header Fields Too Large"}',
    })
    expect(handler).not.toHaveBeenCalled()
  })
})
