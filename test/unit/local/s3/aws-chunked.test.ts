import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeAwsChunked } from '../../../../local/embedded/s3/aws-chunked.ts'

/** The bytes in pieces of this size, as a network may deliver them. */
const inPieces = (bytes: Buffer, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    ),
  )

async function decode(bytes: Buffer, size: number) {
  const trailers = new Map<string, string>()
  const chunks = await Array.fromAsync(decodeAwsChunked(inPieces(bytes, size), trailers))
  return { content: Buffer.concat(chunks), trailers }
}

it('a body in chunks has the content of its chunks, whatever the pieces in which it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 })),
      fc.integer({ min: 1, max: 50 }),
      async (chunks, size) => {
        const encoded = chunks.flatMap((chunk) => [
          `${chunk.length.toString(16)};chunk-signature=0f\r\n`,
          chunk,
          '\r\n',
        ])
        const body = Buffer.concat(
          [...encoded, '0\r\nx-amz-checksum-crc32:AAAA==\r\n\r\n'].map((piece) => Buffer.from(piece)),
        )
        const { content, trailers } = await decode(body, size)
        expect(content).toEqual(Buffer.concat(chunks))
        expect([...trailers]).toEqual([['x-amz-checksum-crc32', 'AAAA==']])
      },
    ),
  )
})

it.each([
  ['ends within a chunk', '5\r\nabc', 'IncompleteBody'],
  ['ends before its last chunk', '3\r\nabc\r\n', 'IncompleteBody'],
  ['has no size', 'size\r\n', 'InvalidRequest'],
  ['has another size than its chunk', '2\r\nabc\r\n0\r\n\r\n', 'InvalidRequest'],
])('a body that %s is refused', async (_, body, code) => {
  await expect(decode(Buffer.from(body), 4)).rejects.toMatchObject({ code })
})
