import { brotliCompressSync, crc32, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  codingsIn,
  codingsOf,
  compressionOf,
  DecodingError,
  decode,
} from '../../../functions/upstream/content-codings.ts'

it.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['Identity, GZIP', ['gzip']],
  ['x-gzip', ['gzip']],
  [' gzip ,, br ', ['gzip', 'br']],
  ['compress', ['compress']],
  ['LZ4', ['lz4']],
  ['utf-8', []],
  ['UTF8', []],
  ['binary', []],
  ['none', []],
  ['iso-8859-1, gzip', ['gzip']],
  ['toString', []],
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
    ['a coding that was applied twice', ['gzip', 'gzip'], gzipSync(packed)],
    ['a coding that an intermediary named again', ['gzip', 'gzip'], packed],
    ['zstd that was not applied', ['zstd'], plain],
    ['compress that was not applied', ['compress'], plain],
    ['two codings of which the second was not applied', ['gzip', 'zstd'], packed],
    ['three codings, the last one first', ['gzip', 'br', 'deflate'], deflateSync(brotliCompressSync(packed))],
  ])('reverses %s', (_, codings, body) => expect(decode(body, codings, 10_000)).toEqual(plain))

  it.each([
    ['unknown', 'compress', Buffer.from('1f9d90', 'hex')],
    ['unknown', 'compress', packed],
    ['malformed', 'gzip', zstdCompressSync(plain)],
    ['unknown', 'toString', packed],
    ['malformed', 'gzip', Buffer.from('1f8b0000', 'hex')],
    ['cut-off', 'gzip', packed.subarray(0, -1)],
    ['cut-off', 'zstd', zstdCompressSync(plain).subarray(0, -1)],
    ['malformed', 'br', packed],
    ['malformed', 'deflate', Buffer.concat([Buffer.from([7]), plain])],
  ] as const)('reports %s for %s %#', (kind, coding, body) => {
    expect(failureOf(() => decode(body, [coding], 10_000))).toMatchObject({ name: 'DecodingError', kind })
  })

  it.each([
    ['cut off', ['gzip'], packed.subarray(0, -1), 'its gzip body is cut off'],
    ['cut off within its data', ['gzip'], packed.subarray(0, 30), 'its gzip body is cut off'],
    ['damaged', ['gzip'], withOtherByte(packed, packed.length - 6), 'its gzip body is damaged'],
    ['in another coding', ['x'], packed, 'its Content-Encoding x is not supported'],
    ['in too many codings', ['br', 'br', 'br', 'br'], packed, 'its Content-Encoding has too many codings'],
  ])('says why a body is not decoded that is %s', (...[, codings, body, message]) => {
    expect(failureOf(() => decode(body, codings, 10_000)).message).toBe(message)
  })

  it.each(['', '[]', '[{"id":1}]', '\r\n', 'é'.repeat(40)])(
    'reads a short or plain body with and without its coding: %j',
    (text) => {
      const body = Buffer.from(text)
      const coded = [gzipSync(body), brotliCompressSync(body), deflateSync(body), deflateRawSync(body)]
      const codings = ['gzip', 'br', 'deflate', 'deflate']
      for (const [at, coding] of codings.entries()) {
        expect(String(decode(coded[at] ?? body, [coding], 100))).toBe(text)
        expect(String(decode(body, [coding], 100))).toBe(text)
      }
    },
  )

  it.each([
    ['gzip', packed, ['gzip']],
    ['gzip', plain, []],
    ['gzip, gzip', plain, []],
    ['gzip, br', plain, []],
    ['utf-8, br', brotliCompressSync(plain), ['br']],
    ['gzip', Buffer.alloc(0), ['gzip']],
    ['compress', packed, ['compress']],
  ])('names only the codings of the body, of %s', (header, body, codings) => {
    expect(codingsIn(body, header)).toEqual(codings)
  })

  it('has the reason of the library as the cause', () => {
    const damaged = withOtherByte(packed, packed.length - 6)
    expect(failureOf(() => decode(damaged, ['gzip'], 10_000)).cause).toMatchObject({ code: 'Z_DATA_ERROR' })
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

function withOtherByte(body: Buffer, at: number): Buffer {
  const changed = Buffer.from(body)
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  return changed
}

describe('a gzip body', () => {
  const plain = Buffer.from('[{"id":"1"}]')
  const packed = gzipSync(plain)
  const tail = (text: string) => Buffer.concat([packed, Buffer.from(text, 'latin1')])

  it.each([
    ['a line break', tail('\r\n')],
    ['zeros', tail('\0\0\0\0')],
    ['other bytes', tail('<!-- cache -->')],
    ['a byte that begins another member', tail('\x1f')],
    ['a line break, with every optional field', Buffer.concat([longHeader(), tail('\r\n')])],
  ])('may be followed by %s', (_, body) => {
    expect(String(decode(body, ['gzip'], 1_000))).toMatch(/^(\[\{"id":"1"\}\]){1,2}$/)
  })

  it('may have several members, also before a line break', () => {
    const two = Buffer.concat([packed, gzipSync(' \n')])
    expect(String(decode(two, ['gzip'], 1_000))).toBe(`${String(plain)} \n`)
    const before = Buffer.concat([two, Buffer.from('\r\n')])
    expect(String(decode(before, ['gzip'], 1_000))).toBe(`${String(plain)} \n`)
  })

  it.each([
    ['a member that is cut off', Buffer.concat([packed, packed.subarray(0, 15)])],
    ['a line break after a damaged member', withOtherByte(tail('\r\n'), packed.length - 6)],
    ['a line break and no end', Buffer.concat([packed.subarray(0, -5), Buffer.from('\r\n')])],
  ])('is malformed with %s', (_, body) => expect(() => decode(body, ['gzip'], 1_000)).toThrow(DecodingError))

  it('is limited in size also if bytes follow it', () => {
    const bomb = Buffer.concat([gzipSync(Buffer.alloc(10_000)), Buffer.from('\r\n')])
    expect(() => decode(bomb, ['gzip'], 9_999)).toThrow(DecodingError)
  })

  /** A member whose header has every optional field (RFC 1952 section 2.3). */
  function longHeader(): Buffer {
    const header = Buffer.from([0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3, 2, 0, 1, 2])
    const checked = Buffer.concat([header, Buffer.from('name\0a comment\0')])
    const checksum = Buffer.alloc(2)
    checksum.writeUInt16LE(crc32(checked) & 0xffff)
    return Buffer.concat([checked, checksum, packed.subarray(10)])
  }
})

it.each([
  ['gzip', gzipSync('x')],
  ['zstd', zstdCompressSync('x')],
  ['deflate', deflateSync('x')],
  [undefined, Buffer.from('[{"id":1}]')],
  [undefined, Buffer.from('<html>')],
  [undefined, Buffer.alloc(0)],
])('a body that begins like %s is known as such', (format, body) => expect(compressionOf(body)).toBe(format))
