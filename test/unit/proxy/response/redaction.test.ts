import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { withoutCredentials } from '../../../../functions/proxy/response/redaction.ts'
import { redact } from '../../../../functions/upstream/redact.ts'
import { endpoint, refusal } from '../request/refusal.ts'

const secrets = ['key+1/"a', 'the token']
const redacted = (
  body: Buffer | string,
  { status: statusCode = 400, ...headers }: { status?: number; 'content-encoding'?: string } = {},
) =>
  withoutCredentials(
    { statusCode, headers, body: Buffer.from(body) },
    { endpoint: endpoint('update-subscription'), redact: (text) => redact(text, secrets) },
  )

describe('the credentials in an error response', () => {
  test.each([
    ['as they are', 'Invalid key key+1/"a', 'Invalid key [redacted]'],
    ['in JSON', '{"sent":"key+1\\/\\u0022a"}', '{"sent":"[redacted]"}'],
    ['percent-encoded', '?key=key%2B1%2f%22a&x=1', '?key=[redacted]&x=1'],
  ])('are redacted %s', (_, body, expected) => {
    for (const status of [400, 401, 422, 500, 503, 599])
      expect(String(redacted(body, { status }).body)).toBe(expected)
  })

  test('are redacted between bytes that are not UTF-8, which stay the same', () => {
    const body = Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from('the token'), Buffer.from([0xe9, 0])])
    const expected = Buffer.concat([
      Buffer.from([0xff, 0xc3]),
      Buffer.from('[redacted]'),
      Buffer.from([0xe9, 0]),
    ])
    expect(redacted(body).body).toEqual(expected)
  })

  test.each([
    ['gzip', gzipSync('é the token')],
    ['gzip', Buffer.from('é the token')],
    ['identity', Buffer.from('é the token', 'utf16le')],
    ['br', brotliCompressSync('é the token')],
    ['deflate', deflateRawSync('é the token')],
    ['gzip, br', brotliCompressSync(gzipSync('é the token'))],
  ])('are redacted in a body compressed as %s, which becomes plain', (coding, body) => {
    expect(redacted(body, { 'content-encoding': coding })).toEqual({
      statusCode: 400,
      headers: {},
      body: Buffer.from('é [redacted]'),
    })
  })
})

test.each([
  ['compressed without a header', gzipSync('the token'), undefined],
  ['compressed under a header that is no coding', gzipSync('the token'), 'utf-8'],
  ['compressed once more than its header says', gzipSync(gzipSync('the token')), 'gzip'],
  ['compressed by other means', zstdCompressSync('the token'), 'binary'],
])('an error response that may hide the credentials is not relayed if it is %s', (_, body, coding) => {
  const headers = coding === undefined ? {} : { 'content-encoding': coding }
  expect(refusal(() => redacted(body, { status: 403, ...headers }))).toMatchObject({
    type: 'urn:longshore:problem:upstream-response-unusable',
    status: 502,
    upstreamStatus: 403,
    detail: expect.stringContaining('Its body is compressed') as string,
  })
})

test.each(['', 'nothing', 'the token'])(
  'the credentials in the headers of an error response are redacted with the body %j',
  (body) => {
    const headers = { 'content-type': 'text/plain; k=the token', 'retry-after': 'key+1/"a' }
    const result = { statusCode: 401, headers, body: Buffer.from(body) }
    const options = {
      endpoint: endpoint('update-subscription'),
      redact: (text: string) => redact(text, secrets),
    }
    const expected = { 'content-type': 'text/plain; k=[redacted]', 'retry-after': '[redacted]' }
    expect(withoutCredentials(result, options).headers).toEqual(expected)
    expect(withoutCredentials({ ...result, statusCode: 200 }, options).headers).toEqual(headers)
  },
)

describe('a response is unchanged', () => {
  test.each([200, 204, 304, 399])('below 400 (%i)', (status) => {
    expect(String(redacted('the token', { status }).body)).toBe('the token')
  })

  test('without credentials, also if it is compressed', () => {
    const body = gzipSync('nothing')
    const headers = { 'content-encoding': 'gzip' }
    expect(redacted(body, headers)).toEqual({ statusCode: 400, headers, body })
  })

  test('without a body, whatever its coding', () =>
    expect(redacted('', { 'content-encoding': 'gzip' }).body).toEqual(Buffer.alloc(0)))
})

test.each([
  ['of an unknown coding', 'compress', gzipSync('x'), 'upstream-response-unusable'],
  ['of another coding', 'gzip', zstdCompressSync('the token'), 'upstream-response-unusable'],
  ['of too many bytes', 'gzip', gzipSync(Buffer.alloc(20_000_000)), 'response-too-large'],
])('a compressed error response %s is a 502', (_, ...[coding, body, name]) => {
  expect(refusal(() => redacted(body, { status: 401, 'content-encoding': coding }))).toMatchObject({
    status: 502,
    type: `urn:longshore:problem:${name}`,
  })
})
