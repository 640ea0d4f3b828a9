import { describe, expect, it } from 'vitest'
import type { KeyedRequest } from '../../../../functions/proxy/idempotency/idempotency-key.ts'
import { readIdempotencyKey } from '../../../../functions/proxy/idempotency/idempotency-key.ts'

const anna = { iam: { userArn: 'arn:aws:iam::1:user/anna' } }
const session = (name: string) => ({ iam: { userArn: `arn:aws:sts::1:assumed-role/shop/${name}` } })
const jwt = (claims: Record<string, unknown>) => ({ jwt: { claims: { iss: 'https://issuer', ...claims } } })

interface Sent {
  readonly key?: string
  readonly authorizer?: unknown
  readonly path?: string
  readonly route?: string
  readonly query?: string
  readonly body?: string
}

const read = (change: Sent = {}) => {
  const {
    key = 'k-1',
    authorizer = anna,
    path = '/s1',
    route = 'PATCH /{id}',
    query = '',
    body = '{}',
  } = change
  const event: KeyedRequest = {
    headers: { 'idempotency-key': key },
    rawPath: path,
    rawQueryString: query,
    routeKey: route,
    requestContext: { authorizer },
  }
  const request = readIdempotencyKey(event, Buffer.from(body))
  if (!request) throw new Error('The request has no key.')
  return request
}

describe('an idempotency key', () => {
  it('is optional', () => {
    const event = { headers: {}, rawPath: '/', rawQueryString: '', routeKey: '', requestContext: {} }
    expect(readIdempotencyKey(event, Buffer.alloc(0))).toBeUndefined()
  })

  it.each([
    ['in double quotes', '"k-1"', 'k-1'],
    ['with white space around', '  k-1 ', 'k-1'],
    ['with two backslashes, bare', String.raw`a\\b`, String.raw`"a\\\\b"`],
    ['with a backslash, bare', String.raw`a\b`, String.raw`"a\\b"`],
  ])('is the same %s', (_, one, other) => expect(read({ key: one }).id).toBe(read({ key: other }).id))

  it.each(['a', '~', ' a b '.trim(), 'x'.repeat(255), `"${'x'.repeat(255)}"`, '"a\\\\"'])(
    'may be %j',
    (key) => expect(read({ key }).id).toMatch(/^[0-9a-f]{64}$/),
  )

  it.each([
    '',
    ' ',
    '""',
    'x'.repeat(256),
    'a"b',
    '"a',
    'a"',
    '"a"b"',
    '"a\\b"',
    'ä',
    'a\tb',
    '"a\u007f"',
    'b"a"',
    '"a"b',
  ])('cannot be %j', (key) => {
    expect(() => read({ key })).toThrow(
      expect.objectContaining({
        problem: 'invalid-request',
        message: expect.stringMatching(/^Idempotency-Key must be 1 to 255 printable ASCII/) as string,
        extensions: { header: 'Idempotency-Key' },
      }),
    )
  })

  it.each<[string, Sent, Sent]>([
    ['caller', {}, { authorizer: { iam: { userArn: 'arn:aws:iam::1:user/otto' } } }],
    [
      'role',
      { authorizer: session('a') },
      { authorizer: { iam: { userArn: 'arn:aws:sts::1:assumed-role/other/a' } } },
    ],
    ['issuer', { authorizer: jwt({ sub: 'a' }) }, { authorizer: jwt({ sub: 'a', iss: 'https://other' }) }],
    ['sub', { authorizer: jwt({ sub: 'a' }) }, { authorizer: jwt({ sub: 'b' }) }],
    ['client_id', { authorizer: jwt({ client_id: 'a' }) }, { authorizer: jwt({ client_id: 'b' }) }],
    ['client_id equal to a sub', { authorizer: jwt({ sub: 'a' }) }, { authorizer: jwt({ client_id: 'a' }) }],
    ['token instead of IAM identity', { authorizer: {} }, { authorizer: jwt({ sub: '', client_id: 'a' }) }],
    ['path', {}, { path: '/s2' }],
    ['method', {}, { route: 'PUT /{id}' }],
    ['split of path and key', { path: '/s1', key: '2k' }, { path: '/s12', key: 'k' }],
  ])('belongs to its caller, method and path: another %s has another key', (_, one, other) => {
    expect(read(one).id).not.toBe(read(other).id)
  })

  it.each<[string, unknown, unknown]>([
    ['sessions of one role', session('first'), session('second')],
    ['clients with one sub', jwt({ sub: 'a' }), jwt({ sub: 'a', client_id: 'x' })],
    ['tokens with one client_id and no sub', jwt({ client_id: 'a' }), jwt({ client_id: 'a', sub: '' })],
    ['callers that the gateway does not identify', undefined, {}],
    ['callers without an ARN', { iam: {} }, {}],
  ])('is shared by %s', (_, one, other) => {
    // An absent authorizer is not the default of `read`.
    const idOf = (authorizer: unknown) => read({ authorizer: authorizer ?? null }).id
    expect(idOf(one)).toBe(idOf(other))
  })

  it.each([{}, { sub: '' }, { sub: 7 }, { client_id: '' }, { client_id: ['a'] }])(
    'cannot be used with a token that identifies no caller: %j',
    (claims) => {
      expect(() => read({ authorizer: jwt(claims) })).toThrow(/neither a sub nor a client_id claim.*Omit it/)
    },
  )

  it('detects another query or body by the fingerprint', () => {
    const { fingerprint } = read({ query: 'an=shop', body: '{"a":1}' })
    expect(read({ query: 'an=shop', body: '{"a":1}' }).fingerprint).toBe(fingerprint)
    for (const change of [
      { query: 'an=other', body: '{"a":1}' },
      { query: 'an=shop', body: '{"a":2}' },
      { query: 'an=shop{', body: '"a":1}' },
    ])
      expect(read(change).fingerprint).not.toBe(fingerprint)
  })
})
