import { randomBytes } from 'node:crypto'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codingsOf, compressedFor, DecodingError, decode } from '../../../functions/http/content-coding.ts'

const headers = { 'content-type': 'text/plain' }
const varied = { ...headers, vary: 'accept-encoding' }

describe('the representation for a caller', () => {
  const letters = (length: number) => Buffer.alloc(length, 'x')

  it.each<[string, number, string | undefined, Record<string, string>]>([
    ['is plain up to 1 KB', 1024, 'gzip', headers],
    ['is gzip above 1 KB', 1025, 'gzip', { ...varied, 'content-encoding': 'gzip' }],
    ['is plain for a caller that does not accept gzip', 1025, undefined, varied],
    ['is gzip for a caller that refuses a plain body', 2, 'gzip, identity;q=0', gzipHeaders()],
    ['is plain if the caller refuses every coding', 2, 'gzip;q=0, identity;q=0', varied],
    ['is plain for an empty body', 0, 'gzip, identity;q=0', headers],
  ])('%s', async (_, ...[length, accept, expected]) => {
    const body = letters(length)
    const result = await compressedFor(accept, { headers, body })
    expect(result.headers).toEqual(expected)
    const isGzip = 'content-encoding' in result.headers
    expect(isGzip ? gunzipSync(result.body) : result.body).toEqual(body)
  })

  function gzipHeaders() {
    return { ...varied, 'content-encoding': 'gzip' }
  }

  /** Bytes that gzip cannot compress, followed by letters until the gzip file has the size of the body. */
  function asLargeAsItsGzip(): Buffer {
    const noise = randomBytes(2000)
    for (let length = 0; length < 200; length++) {
      const body = Buffer.concat([noise, letters(length)])
      if (gzipSync(body).length === body.length) return body
    }
    throw new Error('No body is as large as its gzip file.')
  }

  it('is plain if gzip does not make the body smaller', async () => {
    const body = asLargeAsItsGzip()
    expect(await compressedFor('gzip', { headers, body })).toEqual({ headers: varied, body })
    const required = await compressedFor('gzip, identity;q=0', { headers, body })
    expect(required.headers).toEqual(gzipHeaders())
  })
})

it.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['Identity, GZIP', ['gzip']],
  ['x-gzip', ['gzip']],
  [' gzip ,, br ', ['gzip', 'br']],
  ['compress', ['compress']],
])('the Content-Encoding %j has the codings %j', (header, codings) => {
  expect(codingsOf(header)).toEqual(codings)
})

describe('decoding a body', () => {
  const plain = Buffer.from('{"text":"a long one"}'.repeat(20))
  const packed = gzipSync(plain)

  it.each([
    ['no coding', [], plain],
    ['gzip', ['gzip'], packed],
    ['br', ['br'], brotliCompressSync(plain)],
    ['zstd', ['zstd'], zstdCompressSync(plain)],
    ['deflate with a zlib header', ['deflate'], deflateSync(plain)],
    ['deflate without a zlib header', ['deflate'], deflateRawSync(plain)],
    ['three codings, the last one first', ['gzip', 'br', 'deflate'], deflateSync(brotliCompressSync(packed))],
  ])('reverses %s', (_, codings, body) => {
    expect(decode(body, codings, 10_000)).toEqual(plain)
  })

  it.each([
    ['unknown', 'compress', packed],
    ['unknown', 'toString', packed],
    ['malformed', 'gzip', plain],
    ['malformed', 'gzip', packed.subarray(0, -1)],
    ['malformed', 'deflate', Buffer.alloc(0)],
    ['malformed', 'br', plain],
  ] as const)('reports %s for %s %#', (kind, coding, body) => {
    expect(failureOf(() => decode(body, [coding], 10_000))).toMatchObject({
      name: 'DecodingError',
      kind,
      message: `The body cannot be decoded: ${kind}`,
    })
  })

  it('has the reason of the library as the cause', () => {
    expect(failureOf(() => decode(plain, ['gzip'], 10_000)).cause).toMatchObject({ code: 'Z_DATA_ERROR' })
  })

  it('refuses more than three codings before it decodes any', () => {
    const four = gzipSync(gzipSync(gzipSync(packed)))
    expect(failureOf(() => decode(four, ['gzip', 'gzip', 'gzip', 'gzip'], 10_000)).kind).toBe('unknown')
  })

  it('stops at the maximum size', () => {
    expect(decode(packed, ['gzip'], plain.length)).toEqual(plain)
    expect(failureOf(() => decode(packed, ['gzip'], plain.length - 1)).kind).toBe('too-large')
  })

  function failureOf(read: () => unknown): DecodingError {
    try {
      read()
    } catch (error) {
      if (error instanceof DecodingError) return error
      throw error
    }
    throw new Error('The body was decoded.')
  }
})
