import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeResponse } from '../../../functions/upstream/decode-response.ts'
import { UpstreamFailure } from '../../../functions/upstream/exchange.ts'

const page = Buffer.from('[{"id":"1"}]')
const response = (body: Buffer, coding?: string) => ({
  status: 200,
  headers: coding === undefined ? {} : { 'content-encoding': coding },
  body,
})
const bodyOf = (given: Buffer, coding?: string, maxBytes = 100) =>
  String(decodeResponse(response(given, coding), maxBytes).body)

describe('the body of a scroll response', () => {
  it.each([
    ['gzip', gzipSync(page)],
    [' GZip ', gzipSync(page)],
    ['x-gzip', gzipSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
    ['br', brotliCompressSync(page)],
    ['zstd', zstdCompressSync(page)],
    ['gzip, br', brotliCompressSync(gzipSync(page))],
    ['identity', page],
    [undefined, page],
  ])('is decoded from %j', (coding, given) => expect(bodyOf(given, coding)).toBe(String(page)))

  it.each([
    ['gzip', page],
    ['utf-8', page],
    ['binary', page],
    ['none', page],
    ['UTF-8, gzip', gzipSync(page)],
    [undefined, gzipSync(page)],
    [undefined, zstdCompressSync(page)],
    ['gzip', gzipSync(gzipSync(page))],
    ['gzip', Buffer.concat([gzipSync(page), Buffer.from('\r\n')])],
  ])('is read although its header or its end is wrong: %j', (coding, given) => {
    expect(bodyOf(given, coding)).toBe(String(page))
  })

  const hidden = 'its body is compressed (compress) in addition to what its Content-Encoding says'
  it.each<[string, Buffer, string | undefined, string]>([
    ['truncated', gzipSync(page).subarray(0, 20), 'gzip', 'its gzip body is cut off'],
    [
      'in an unknown coding',
      Buffer.from('1f9d90', 'hex'),
      'compress',
      'its Content-Encoding compress is not supported',
    ],
    ['in an unknown coding without a header', Buffer.from('1f9d90', 'hex'), undefined, hidden],
    [
      'compressed three times',
      gzipSync(gzipSync(gzipSync(page))),
      'gzip',
      hidden.replace('(compress)', '(gzip)'),
    ],
  ])('cannot be read if it is %s', (...[, given, coding, reason]) => {
    expect(failureOf(() => bodyOf(given, coding))).toMatchObject({
      kind: 'unreadable',
      reason: `the response of the platform cannot be read: ${reason}`,
    })
  })

  it('stays as it is if it cannot be decoded and its status says enough', () => {
    const given = { ...response(gzipSync(page).subarray(0, 15), 'gzip'), status: 429 }
    expect(decodeResponse(given, 100)).toBe(given)
  })

  function failureOf(read: () => unknown): UpstreamFailure {
    try {
      read()
    } catch (error) {
      if (error instanceof UpstreamFailure) return error
      throw error
    }
    throw new Error('The body was decoded.')
  }

  const text = '[{"id":"é😀"}]'
  const bigEndian = (given: string) => Buffer.from(given, 'utf16le').swap16()
  it.each([
    ['UTF-16 with a mark', Buffer.from(`\ufeff${text}`, 'utf16le'), `\ufeff${text}`],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le'), text],
    ['UTF-16, big-endian, with a mark', bigEndian(`\ufeff${text}`), `\ufeff${text}`],
    ['UTF-16, big-endian, without a mark', bigEndian(text), text],
    ['UTF-16 with half a character', Buffer.from('["\ud83d"]', 'utf16le'), '["\\ud83d"]'],
    ['UTF-16 that is cut off', bigEndian(text).subarray(0, -1), text.slice(0, -1)],
    ['UTF-8 with zeros', Buffer.from('[{}]\0\0'), '[{}]\0\0'],
    ['nothing but zeros', Buffer.alloc(2), '\0\0'],
    ['one byte', Buffer.from('['), '['],
  ])('is read in UTF-8 from %s', (_, given, expected) => {
    expect(bodyOf(given)).toBe(expected)
    expect(bodyOf(gzipSync(given), 'gzip')).toBe(expected)
  })

  it('names no coding any more after it was decoded', () =>
    expect(decodeResponse(response(gzipSync(page), 'gzip'), 100).headers).toEqual({}))

  it('is the end of a scroll if it is empty, whatever its coding', () =>
    expect(bodyOf(Buffer.alloc(0), 'gzip')).toBe(''))
})
