import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createExchange } from '../../../functions/upstream/exchange.ts'
import { doubtfulProxy, proxyFailure, readProxy } from '../../../functions/upstream/internet-proxy.ts'
import { selfSigned } from './self-signed.ts'
import { exchangeTests, failureOf, get } from './started-exchange.ts'

const { listen } = exchangeTests()
afterEach(() => void vi.unstubAllEnvs())

const direct = 'localhost,.localhost,127.0.0.0-127.255.255.255,::1,[::1]'

it.each<[string, NodeJS.ProcessEnv, string]>([
  ['no variables', {}, 'none'],
  ['empty variables', { HTTPS_PROXY: '' }, 'none'],
  ['upper case', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:2' }, 'http://p:1 http://q:2'],
  ['lower case first', { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://other:2' }, 'http://p:1 '],
  ['no scheme, and white space', { HTTPS_PROXY: ' p:3128 ' }, 'http://p:3128 '],
  ['a percent sign in the password', { HTTPS_PROXY: 'http://u:%a%20%@p:1' }, 'http://u:%25a%20%25@p:1 '],
  ['a proxy for all others', { ALL_PROXY: 'p:1', HTTP_PROXY: 'HTTP://q:2' }, 'http://p:1 http://q:2'],
  ['one of two that is supported', { ALL_PROXY: 'socks5://p:1', https_proxy: 'https://q:2' }, 'https://q:2 '],
  ['another kind', { ALL_PROXY: 'socks5h://p:1', HTTPS_PROXY: 'http://' }, 'none'],
  ['Lambda', { HTTPS_PROXY: 'http://p:1', AWS_LAMBDA_FUNCTION_NAME: 'worker' }, 'none'],
])('reads the proxy from the environment: %s', (_, env, expected) => {
  const proxy = readProxy(env)
  expect(proxy ? `${proxy.https_proxy} ${proxy.http_proxy}` : 'none').toBe(expected)
  expect(proxy?.no_proxy ?? direct).toBe(direct)
})

it.each([
  ['shop.example', 'shop.example,.shop.example'],
  ['a.example b.example,', 'a.example,.a.example,b.example,.b.example'],
  ['.shop.example,*.shop.example,*', '.shop.example,*.shop.example,*'],
  ['shop.example:443,10.1.2.3,[fd00::1],*.', 'shop.example:443,10.1.2.3,fd00::1,*'],
  ['10.0.0.0/8', '10.0.0.0-10.255.255.255'],
  ['172.16.9.1/12', '172.16.0.0-172.31.255.255'],
  ['0.0.0.0/0', '0.0.0.0-255.255.255.255'],
  ['fe80::/10', 'fe80::/10'],
])('reads NO_PROXY as other tools do: %s', (given, expected) => {
  expect(readProxy({ HTTPS_PROXY: 'http://p:1', NO_PROXY: given })?.no_proxy).toBe(`${expected},${direct}`)
})

it.each<[NodeJS.ProcessEnv, RegExp]>([
  [{}, /^none$/],
  [{ HTTPS_PROXY: 'http://p:1', ALL_PROXY: 'socks5://q:2' }, /^none$/],
  [{ ALL_PROXY: 'https://secret@q:2' }, /^the proxy https:\/\/q:2 .* is called over TLS/],
  [{ ALL_PROXY: 'socks5://user:secret@q:2', AWS_LAMBDA_FUNCTION_NAME: 'worker' }, /^none$/],
  [{ HTTPS_PROXY: 'http://user:secret@:1' }, /^the proxy without a valid URL \(HTTPS_PROXY/],
])('names a proxy that may be the cause, of %j', (env, expected) => {
  const doubtful = doubtfulProxy(env) ?? 'none'
  expect(doubtful).toMatch(expected)
  expect(doubtful).not.toContain('secret')
})

/** A proxy that notes which hosts it is asked for, and connects to this port, or responds with a status. */
async function startProxy(target: { readonly port: number } | { readonly status: string }) {
  const asked: string[] = []
  const proxy = createHttpServer()
  proxy.on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    if ('status' in target) return socket.end(`HTTP/1.1 ${target.status}\r\n\r\n`)
    const tunnel = connect(target.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(tunnel).pipe(socket)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('error', () => tunnel.destroy())
    return tunnel
  })
  return { host: await listen(proxy), asked }
}

it('calls a platform through the proxy, and knows when it is connected', async () => {
  const platform = createTlsServer(selfSigned(), (_, response) => void response.end('secure'))
  await listen(platform)
  const proxy = await startProxy({ port: (platform.address() as AddressInfo).port })
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  vi.stubEnv('HTTPS_PROXY', `http://${proxy.host}`)
  const exchange = createExchange('https://shop.example.com')
  expect(String((await exchange(get())).body)).toBe('secure')
  expect(proxy.asked).toEqual(['shop.example.com:443'])

  platform.removeAllListeners('request')
  expect(await failureOf(exchange(get({ totalMs: 500 })))).toMatchObject({ kind: 'timeout', sent: true })
})

it('calls this machine and what NO_PROXY names directly', async () => {
  const platform = createHttpServer((_, response) => void response.end('direct'))
  const host = await listen(platform)
  const proxy = await startProxy({ status: '502 Bad Gateway' })
  vi.stubEnv('HTTP_PROXY', `http://${proxy.host}`)
  vi.stubEnv('HTTPS_PROXY', `http://${proxy.host}`)
  vi.stubEnv('NO_PROXY', 'invalid')
  expect(String((await createExchange(`http://${host}`)(get())).body)).toBe('direct')
  const failure = await failureOf(createExchange('https://nothing.invalid')(get()))
  expect(failure.reason).toMatch(/host nothing.invalid (not found|cannot be looked up)/)
  expect(proxy.asked).toEqual([])
})

it('names a proxy that makes no connection, without its credentials', async () => {
  const { host } = await startProxy({ status: '407 Proxy Authentication Required' })
  vi.stubEnv('HTTPS_PROXY', `http://user:password@${host}`)
  const failure = await failureOf(createExchange('https://shop.example.com')(get()))
  expect(failure).toMatchObject({
    kind: 'unreachable',
    sent: false,
    reason: `the proxy http://${host} (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) made no connection: 407 Proxy Authentication Required`,
  })
})

it('names a proxy that cannot be reached', async () => {
  const server = createHttpServer()
  const host = await listen(server)
  await new Promise((closed) => server.close(closed))
  vi.stubEnv('HTTPS_PROXY', `http://${host}`)
  const { reason } = await failureOf(createExchange('https://shop.example.com')(get()))
  expect(reason).toBe(
    `the proxy http://${host} (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) cannot be reached (ECONNREFUSED)`,
  )
})

it('does not blame the proxy for a failure of the platform', () => {
  const variables = readProxy({ HTTPS_PROXY: 'http://p:3128' })
  const refused = Object.assign(new Error('refused'), {
    code: 'ECONNREFUSED',
    address: '10.0.0.1',
    port: 443,
  })
  expect([proxyFailure(refused, variables), proxyFailure(refused, undefined)]).toEqual([undefined, undefined])
})
