import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxResultBytes } from '../../../../functions/http/result.ts'
import { deliver } from '../../../../functions/proxy/response/delivery.ts'
import { bytes, delivered, refused } from './delivered.ts'

describe('the result of the function', () => {
  test.each([
    ['text', Buffer.from('{"a": "é🚚", "n": 12345678901234567890.0}\r\n'), false],
    ['an empty body', Buffer.alloc(0), false],
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), false],
    ['binary', Buffer.from([0, 1, 0x80, 0xff]), true],
    ['half a character', Buffer.from([0x22, 0xc3]), true],
    ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), true],
    ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, index) => index)), true],
  ])('carries %s byte for byte', async (_, body, isBase64Encoded) => {
    const result = await delivered({ body })
    expect(bytes(result)).toEqual(body)
    expect(result.isBase64Encoded).toBe(isBase64Encoded)
  })

  test('carries a compressed body as base64 even if its bytes are valid text', async () => {
    const result = await delivered({ body: 'abc', encoding: 'br', accept: 'br' })
    expect(result).toMatchObject({ isBase64Encoded: true, body: Buffer.from('abc').toString('base64') })
  })

  test('carries any bytes for any Accept-Encoding', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }).map((array) => Buffer.from(array)),
      fc.string({ unit: 'binary', maxLength: 3000 }).map((text) => Buffer.from(text)),
      fc.string().map((text) => Buffer.from(text.repeat(500))),
    )
    const accepts = fc.constantFrom(undefined, 'gzip', 'identity;q=0, *', 'br', '*;q=0')
    await fc.assert(
      fc.asyncProperty(bodies, accepts, fc.boolean(), async (body, accept, packed) => {
        const sent = packed ? gzipSync(body) : body
        const result = await delivered({ body: sent, accept, encoding: packed ? 'gzip' : undefined })
        const got = bytes(result)
        expect(result.headers?.['content-encoding'] === 'gzip' ? gunzipSync(got) : got).toEqual(body)
      }),
    )
  })
})

describe('the size limit', () => {
  const serialized = (result: unknown) => Buffer.byteLength(JSON.stringify(result))
  // Long enough for a Vary header.
  const frame = async () => serialized(await delivered({ body: 'x'.repeat(2000) })) - 2000

  test('the largest text passes, and one byte more does not', async () => {
    const most = maxResultBytes - (await frame())
    const result = await delivered({ body: 'x'.repeat(most) })
    expect(result.isBase64Encoded).toBe(false)
    expect(serialized(result)).toBe(maxResultBytes)
    expect(await refused({ body: 'x'.repeat(most + 1) })).toMatchObject({
      type: 'urn:longshore:problem:response-too-large',
      status: 502,
    })
  })

  test('a response of the proxy that is too large is an internal error', async () => {
    const received = { statusCode: 404, headers: {}, body: Buffer.alloc(maxResultBytes, 'x') }
    const failure = deliver(received, { acceptEncoding: undefined, endpoint: undefined })
    await expect(failure).rejects.toMatchObject({
      problem: 'internal-error',
      message: 'The response is too large.',
    })
  })

  test('a text that is too large passes if it is compressed', async () => {
    const body = '"'.repeat(maxResultBytes)
    expect(await refused({ body })).toMatchObject({ status: 502 })
    expect(gunzipSync(bytes(await delivered({ body, accept: 'gzip' }))).toString() === body).toBe(true)
  })

  test('text with many JSON escapes is sent as base64', async () => {
    const body = '\u0001'.repeat(1_100_000)
    const result = await delivered({ body })
    expect(result.isBase64Encoded).toBe(true)
    expect(bytes(result).equals(Buffer.from(body))).toBe(true)
  })

  test('bytes that are too large as base64 do not pass', async () => {
    expect(await refused({ body: Buffer.alloc(4_800_000, 0xff) })).toMatchObject({ status: 502 })
    expect((await delivered({ body: Buffer.alloc(4_700_000, 0xff) })).statusCode).toBe(200)
  })

  test.each([
    ['read-dock', /platform/],
    ['update-subscription-group', /Read the subscription group on the platform before/],
    ['update-subscription', /Read the subscription on the platform before/],
    ['search-documents', /REST-Range.*_fields/],
    ['scroll-documents', /_size.*_fields/],
  ])('the problem of %s explains what to do', async (name, advice) => {
    const { detail } = await refused({ name, body: Buffer.alloc(maxResultBytes, 'x') })
    expect(detail).toMatch(/^The platform's response is larger than 6 MB/)
    expect(detail).toMatch(advice)
  })
})
