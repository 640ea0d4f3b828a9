import { expect, it } from 'vitest'
import { UpstreamFailure } from '../../../functions/upstream/errors.ts'
import { createExchange } from '../../../functions/upstream/exchange.ts'
import { unreachableReason } from '../../../functions/upstream/unreachable-reason.ts'

const coded = (code: string) => Object.assign(new Error('failed'), { code })

it.each([
  ['ENOTFOUND', 'host shop.example.com not found'],
  ['ECONNREFUSED', 'connection refused by shop.example.com'],
  ['CERT_HAS_EXPIRED', 'the certificate of shop.example.com has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of shop.example.com is for another host'],
  ['EXOTIC', 'no connection to shop.example.com (EXOTIC)'],
])('explains %s', (code, reason) => {
  expect(unreachableReason(coded(code), 'https://shop.example.com')).toBe(reason)
})

it('explains the failure of a host with several addresses by the first known one', () => {
  const cause = new AggregateError([coded('EXOTIC'), coded('ECONNREFUSED')])
  expect(unreachableReason(cause, 'https://shop.example.com')).toBe('connection refused by shop.example.com')
})

it('reports a time-out if no error says more', () => {
  expect(unreachableReason(new Error('The time is over.'), 'https://shop.example.com')).toBe(
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
