import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { TlsOptions } from 'node:tls'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createExchange, type UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { rawResponse } from './raw-server.ts'
import { selfSigned } from './self-signed.ts'
import { exchangeTests, failureOf, get, nothingOpen } from './started-exchange.ts'

const { listen, prepare } = exchangeTests()

describe('a platform with TLS', () => {
  /** A server whose certificate is trusted only while certificates are not verified. */
  async function startTlsServer(result: RequestListener) {
    let requests = 0
    const server = createTlsServer(selfSigned(), (incoming, response) => {
      requests++
      result(incoming, response)
    })
    return { exchange: createExchange(`https://${await listen(server)}`), requests: () => requests }
  }

  afterEach(() => void vi.unstubAllEnvs())

  it('responds, or has been sent the request if it does not respond', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const { exchange } = await startTlsServer(({ url }, response) => {
      if (url === '/responds') response.end('secure')
    })
    expect(await failureOf(exchange(get({ totalMs: 1_000 })))).toMatchObject({ kind: 'timeout', sent: true })
    expect(String((await exchange(get({ target: '/responds' }))).body)).toBe('secure')
  })

  it('is unreachable if its certificate is not trusted', async () => {
    const { exchange, requests } = await startTlsServer((_, response) => void response.end('secure'))
    expect(await failureOf(exchange(get()))).toMatchObject({ kind: 'unreachable', sent: false })
    expect(requests()).toBe(0)
  })
})

describe('the reason why no TLS connection is made', () => {
  it.each<[string, TlsOptions, RegExp]>([
    ['a certificate that is self-signed', {}, /^the certificate of .* is self-signed$/],
    [
      'a version of TLS that is too old',
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      /supports no TLS version that Longshore accepts \(1\.2 or later\)$/,
    ],
    [
      'no cipher in common',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM8@SECLEVEL=0' },
      /refuses the TLS handshake: it accepts none of the ciphers, or requires a client certificate$/,
    ],
    ['another host name', { SNICallback: (_, done) => done(new Error('unknown')) }, /^connection reset by /],
  ])('is %s', async (_, options, reason) => {
    const server = createTlsServer({ ...selfSigned(), ...options })
    const host = (await listen(server)).replace('127.0.0.1', 'localhost')
    const failure = await failureOf(createExchange(`https://${host}`)(get()))
    expect(failure).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(reason) as string })
  })

  it('is plain HTTP on the port', async () => {
    const host = await listen(createServer((_, response) => void response.end()))
    const failure = await failureOf(createExchange(`https://${host}`)(get()))
    expect(failure.reason).toBe(`${host} does not speak TLS on this port`)
  })
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a platform that requires a client certificate is named as such, and receives nothing, with %s',
  async (version) => {
    const received = vi.fn<() => void>()
    const options = { ...selfSigned(), requestCert: true, minVersion: version, maxVersion: version }
    const host = await listen(createTlsServer(options, received))
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const failure = await failureOf(createExchange(`https://${host}`)(get()))
    vi.unstubAllEnvs()
    expect(failure).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringMatching(/client certificate/),
    })
    expect(received).not.toHaveBeenCalled()
  },
)

describe('a platform that cannot be reached', () => {
  it('because it refuses connections', async () => {
    const { server, exchange } = await prepare(() => {})
    await server.close()
    expect(await failureOf(exchange(get()))).toMatchObject({
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

  it('because it never completes the TLS handshake', async () => {
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
