import { expect, it, vi } from 'vitest'
import { createExchange, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { unreachableReason } from '../../../functions/upstream/unreachable-reason.ts'

const ownAuthority = 'if its issuer is an authority of your own, name that in NODE_EXTRA_CA_CERTS'
const unknownAuthority = 'the certificate of shop.example.com is signed by an unknown authority'
const noVersion = 'shop.example.com supports no TLS version that Longshore accepts (1.2 or later)'
const coded = (code: string) => Object.assign(new Error('failed'), { code })

it.each([
  ['ENOTFOUND', 'host shop.example.com not found'],
  ['EAI_AGAIN', 'host shop.example.com cannot be looked up: the DNS server does not respond'],
  ['ECONNREFUSED', 'connection refused by shop.example.com'],
  ['ECONNRESET', 'connection reset by shop.example.com'],
  ['ETIMEDOUT', 'connection to shop.example.com timed out'],
  ['EHOSTUNREACH', 'no route to shop.example.com'],
  ['ENETUNREACH', 'no route to shop.example.com'],
  ['CERT_HAS_EXPIRED', 'the certificate of shop.example.com, or one of its issuers, has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate of shop.example.com is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of shop.example.com is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate of shop.example.com is self-signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', `${unknownAuthority}; ${ownAuthority}`],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    `the certificate of shop.example.com cannot be verified: the server does not send the certificate of its issuer (intermediate). Ask the platform to send the whole chain; ${ownAuthority}`,
  ],
  [
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    `${unknownAuthority}, or the server does not send every certificate up to it. Ask the platform to send the whole chain; ${ownAuthority}`,
  ],
  ['CERT_REVOKED', 'the certificate of shop.example.com has been revoked'],
  ['EXOTIC', 'no connection to shop.example.com (EXOTIC)'],
])('explains %s', (code, reason) => {
  expect(unreachableReason(coded(code), 'https://shop.example.com')).toBe(reason)
})

it.each([
  ['wrong version number', 'shop.example.com does not speak TLS on this port'],
  ['tlsv1 alert protocol version', noVersion],
  ['unsupported protocol', noVersion],
  ...['tlsv13 alert certificate required', 'sslv3 alert bad certificate'].map((alert): [string, string] => [
    alert,
    'shop.example.com requires a client certificate, which Longshore does not have',
  ]),
  [
    'ssl/tls alert handshake failure',
    'shop.example.com refuses the TLS handshake: it accepts none of the ciphers, or requires a client certificate',
  ],
  ['tlsv1 unrecognized name', 'shop.example.com does not know this host name (TLS)'],
  ['bad extension', 'the TLS handshake with shop.example.com failed (bad extension)'],
])('explains a handshake that OpenSSL gives up: %s', (openSslReason, reason) => {
  const text = `write EPROTO 40:error:0A00042E:SSL routines:ssl3_read_bytes:${openSslReason}:../ssl/record.c:918:`
  const cause = Object.assign(new Error(text), { code: 'EPROTO' })
  expect(unreachableReason(cause, 'https://shop.example.com')).toBe(reason)
})

it('asks the right party for a missing certificate', () => {
  const reason = unreachableReason(
    coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    'https://hooks.example.com',
    'its operator',
  )
  expect(reason).toContain('Ask its operator to send the whole chain')
})

it('names a proxy of a kind that is not used, without its credentials', () => {
  vi.stubEnv('HTTPS_PROXY', 'socks5://user:password@10.0.0.9:1080')
  expect(unreachableReason(coded('ENOTFOUND'), 'https://shop.example.com')).toBe(
    'host shop.example.com not found; the proxy socks5://10.0.0.9:1080 (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not used: only http:// and https:// are supported',
  )
  expect(unreachableReason(coded('ECONNREFUSED'), 'http://localhost')).toBe('connection refused by localhost')
  vi.unstubAllEnvs()
})

it('explains the failure of a host with several addresses by the first known one', () => {
  const cause = new AggregateError([coded('EXOTIC'), coded('ECONNREFUSED')])
  expect(unreachableReason(cause, 'https://shop.example.com')).toBe('connection refused by shop.example.com')
})

it.each([
  ['has no code', new Error('The time is over.')],
  ['has a code that is a number', Object.assign(new Error('failed'), { code: 7 })],
  ['is not an error', 'The time is over.'],
  ['is missing', undefined],
])('reports a timeout if the cause %s', (_, cause) => {
  expect(unreachableReason(cause, 'https://shop.example.com')).toBe(
    'connection to shop.example.com timed out',
  )
})

it.each([
  ['http://127.0.0.1:9', 'connection refused by 127.0.0.1:9'],
  ['https://shop.invalid', 'host shop.invalid'],
])('explains why nothing was sent to %s', async (baseUrl, reason) => {
  const request = { method: 'GET', target: '/', headers: {}, totalMs: 10_000 } as const
  const failure: unknown = await createExchange(baseUrl)(request).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UpstreamFailure)
  expect((failure as UpstreamFailure).reason).toContain(reason)
})
