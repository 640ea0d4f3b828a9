import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bytes, delivered, refused } from './delivered.ts'

const large = '{"text":"a long one"}'.repeat(100)

test('a small response that was decoded for the caller varies with Accept-Encoding', async () => {
  const { headers } = await delivered({ body: gzipSync('{"a":1}'), encoding: 'gzip' })
  expect(headers).toMatchObject({ vary: 'accept-encoding' })
})

describe('a plain response is compressed for a caller that accepts gzip', () => {
  test.each([
    'gzip',
    'GZip',
    'x-gzip',
    'gzip, deflate, br, zstd',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    '*',
    '*;q=0.5',
    'gzip;q=0.001',
    'identity;q=0.5, gzip;q=0.5',
    'deflate , gzip ; q=1',
    'identity;q=0, gzip;q=0.1',
    '*;q=0, gzip',
    'bad;q=x, gzip',
  ])('Accept-Encoding: %s', async (accept) => {
    const result = await delivered({ body: large, accept })
    expect(result.headers).toEqual({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(result.isBase64Encoded).toBe(true)
    expect(gunzipSync(bytes(result)).toString()).toBe(large)
  })

  test.each([
    undefined,
    '',
    'identity',
    'br',
    'gzip;q=0',
    'gzip;q=0.000',
    '*;q=0',
    'identity, gzip;q=0.9',
    'gzip;q=0, *',
    'gzip;q=high',
    'gzip2',
    'not-gzip',
    'br;q=1, identity;q=0',
  ])('and not for Accept-Encoding: %s', async (accept) => {
    const result = await delivered({ body: large, accept })
    expect(result).toMatchObject({ body: large, headers: { vary: 'accept-encoding' } })
    expect(result.headers).not.toHaveProperty('content-encoding')
  })

  test.each([
    [1024, undefined],
    [1025, 'gzip'],
  ])('of %i bytes', async (length, coding) => {
    const { headers } = await delivered({ body: 'x'.repeat(length), accept: 'gzip' })
    expect(headers?.['content-encoding']).toBe(coding)
    expect(headers?.['vary']).toBe(coding && 'accept-encoding')
  })

  test('even a short one, if identity is refused', async () => {
    const result = await delivered({ body: '{}', accept: 'gzip, identity;q=0' })
    expect(gunzipSync(bytes(result)).toString()).toBe('{}')
    expect((await delivered({ body: '', accept: 'gzip, identity;q=0' })).headers).toEqual({})
  })

  test('but not if it would become larger', async () => {
    const noise = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * i * 7919 + (i % 251) * 31) % 256))
    const result = await delivered({ body: gzipSync(noise), accept: 'gzip' })
    expect(result.headers).toEqual({ vary: 'accept-encoding' })
  })
})

describe('a response that the platform compressed', () => {
  test.each([
    ['gzip', 'gzip', gzipSync(large)],
    ['gzip', 'br, *;q=0.1', gzipSync(large)],
    ['x-gzip', 'gzip', gzipSync(large)],
    ['br', 'br', brotliCompressSync(large)],
    ['gzip, br', 'gzip, br', brotliCompressSync(gzipSync(large))],
    ['compress', 'compress', Buffer.from('whatever')],
    ['gzip', 'gzip', Buffer.from('no gzip at all')],
  ])('%s is unchanged for Accept-Encoding: %s', async (encoding, accept, body) => {
    const result = await delivered({ body, encoding, accept })
    expect(result.headers).toEqual({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(bytes(result)).toEqual(body)
  })

  test.each([
    ['gzip', undefined, gzipSync(large)],
    ['gzip', 'br', gzipSync(large)],
    ['GZIP', 'identity', gzipSync(large)],
    ['x-gzip', '', gzipSync(large)],
    ['br', undefined, brotliCompressSync(large)],
    ['deflate', undefined, deflateSync(large)],
    ['deflate', undefined, deflateRawSync(large)],
    ['zstd', undefined, zstdCompressSync(large)],
    ['gzip, br', 'gzip;q=0', brotliCompressSync(gzipSync(large))],
    ['identity, gzip', undefined, gzipSync(large)],
  ])('%s is decoded for Accept-Encoding: %s', async (encoding, accept, body) => {
    const result = await delivered({ body, encoding, accept })
    expect(result).toMatchObject({ body: large, isBase64Encoded: false })
    expect(result.headers).toEqual({ vary: 'accept-encoding' })
  })

  test('br is decoded and compressed as gzip for a caller that accepts only gzip', async () => {
    const result = await delivered({ body: brotliCompressSync(large), encoding: 'br', accept: 'gzip' })
    expect(result.headers).toEqual({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    expect(gunzipSync(bytes(result)).toString()).toBe(large)
  })

  test.each(['identity', ' ', 'identity, identity'])('"%s" is plain', async (encoding) => {
    const result = await delivered({ encoding })
    expect(result).toEqual({ statusCode: 200, headers: {}, body: '{}', isBase64Encoded: false })
  })

  test.each([
    ['an unknown coding', 'compress', gzipSync(large), 'Its Content-Encoding compress is not supported.'],
    [
      'too many codings',
      'gzip, gzip, gzip, gzip',
      gzipSync(large),
      'Its Content-Encoding has too many codings.',
    ],
    ['a body in another coding', 'gzip', zstdCompressSync(large), 'Its gzip body is damaged.'],
    ['a truncated body', 'gzip', gzipSync(large).subarray(0, -9), 'Its gzip body is cut off.'],
    [
      'a body with a wrong checksum',
      'gzip',
      Buffer.concat([gzipSync(large).subarray(0, -8), Buffer.alloc(8)]),
      'Its gzip body is damaged.',
    ],
    ['a body that is not brotli', 'br', gzipSync(large), 'Its br body is damaged.'],
  ])('%s is a problem for a caller that does not accept it', async (_, ...[encoding, body, reason]) => {
    expect(await refused({ body, encoding })).toMatchObject({
      type: 'urn:longshore:problem:upstream-response-unusable',
      status: 502,
      upstreamStatus: 200,
      detail: expect.stringMatching(
        `${reason} Send an Accept-Encoding that includes this encoding, so that the body is relayed unchanged.$`,
      ),
    })
  })
})
