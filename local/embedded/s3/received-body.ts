import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { decodeAwsChunked } from './aws-chunked.ts'
import { S3Error } from './s3-error.ts'

/** A body that was received whole, with the hashes that the sender announced. */
export interface RequestBody {
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly md5: string
  /** Headers of the checksums that were compared. */
  readonly checksums: Readonly<Record<string, string>>
}

interface Sum {
  update(chunk: Buffer): unknown
  digest(encoding: 'base64' | 'hex'): string
}

/** The checksums that are compared. A sum by another algorithm (CRC-32C, CRC-64) is accepted as it is. */
const algorithms: Readonly<Record<string, () => Sum>> = {
  'x-amz-checksum-crc32': crc32Sum,
  'x-amz-checksum-sha1': () => createHash('sha1'),
  'x-amz-checksum-sha256': () => createHash('sha256'),
}

/** Reads the body of a request. Throws `S3Error` if it is not what its headers and trailers announce. */
export async function receiveBody(
  request: IncomingMessage,
  write: (chunk: Buffer) => unknown,
): Promise<RequestBody> {
  const { headers } = request
  const signed = String(headers['x-amz-content-sha256'])
  const isChunked = signed.startsWith('STREAMING-')
  const trailers = new Map<string, string>()
  const announced = (name: string) => trailers.get(name) ?? headers[name]
  const trailing = String(headers['x-amz-trailer'] ?? '').toLowerCase()
  const sums = Object.entries(algorithms)
    .filter(([name]) => name in headers || trailing.includes(name))
    .map(([name, create]) => ({ name, sum: create() }))
  const md5 = createHash('md5')
  const sha256 = /^[0-9a-f]{64}$/.test(signed) ? createHash('sha256') : undefined
  let sizeBytes = 0
  for await (const chunk of isChunked ? decodeAwsChunked(request, trailers) : request) {
    sizeBytes += chunk.length
    md5.update(chunk)
    sha256?.update(chunk)
    for (const { sum } of sums) sum.update(chunk)
    await write(chunk)
  }
  const size = headers[isChunked ? 'x-amz-decoded-content-length' : 'content-length']
  if (size !== undefined && Number(size) !== sizeBytes)
    throw new S3Error(
      'IncompleteBody',
      `The body has ${sizeBytes} bytes; its headers announce ${String(size)}.`,
    )
  if (sha256 && sha256.digest('hex') !== signed)
    throw new S3Error('XAmzContentSHA256Mismatch', 'The body does not have the SHA-256 that was signed.')
  const digest = md5.digest()
  compare('content-md5', digest.toString('base64'))
  const checksums = Object.fromEntries(
    sums.map(({ name, sum }) => [name, compare(name, sum.digest('base64'))]),
  )
  return { sizeBytes, md5: digest.toString('hex'), checksums }

  function compare(name: string, actual: string): string {
    const wanted = announced(name)
    if (wanted === undefined || wanted === actual) return actual
    throw new S3Error('BadDigest', `The body does not match ${name}.`)
  }
}

/** The text of a small body. */
export async function receiveText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  await receiveBody(request, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks).toString()
}

function crc32Sum(): Sum {
  let value = 0
  return {
    update: (chunk) => {
      value = crc32(chunk, value)
    },
    digest(encoding) {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(value)
      return bytes.toString(encoding)
    },
  }
}
