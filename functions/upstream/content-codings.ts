import * as zlib from 'node:zlib'
import { canonicalCoding } from './canonical-coding.ts'
import { gunzip } from './gunzip.ts'

/**
 * The codings of a Content-Encoding header in the order in which they were applied; none for a plain body. Names that
 * are no codings, such as `utf-8`, `binary` and `none`, say nothing about the body.
 */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => canonicalCoding(coding.trim()))
    .filter((coding) => codings.has(coding))
}

const decoders: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzip,
  // Some servers send `deflate` without the zlib header of RFC 9110 section 8.4.1.2, whose first byte ends in 8.
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options),
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
}

/** Codings that exist but cannot be decoded here: those of IANA's registry, and others that servers use. */
const otherCodings = [
  'aes128gcm compress dcb dcz exi pack200-gzip x-compress'.split(' '),
  'aws-chunked bzip2 lz4 lzma sdch snappy x-bzip2 x-snappy xz'.split(' '),
].flat()

const codings: ReadonlySet<string> = new Set([...Object.keys(decoders), ...otherCodings])

export type DecodingErrorKind = 'unknown' | 'malformed' | 'cut-off' | 'too-large'

/**
 * A body cannot be decoded: the coding is `unknown`, the data is `malformed` or `cut-off`, or the plain body is
 * `too-large`.
 */
export class DecodingError extends Error {
  override readonly name = 'DecodingError'
  readonly kind: DecodingErrorKind

  /** `message` says why in a clause without a full stop: `its gzip body is cut off`. */
  constructor(kind: DecodingErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** More codings than this are an attack. */
const maxCodings = 3

/** The plain body; at most `maxBytes`, whatever the compressed one expands to. Throws `DecodingError`. */
export function decode(body: Buffer, codings: readonly string[], maxBytes: number): Buffer {
  if (codings.length > maxCodings)
    throw new DecodingError('unknown', 'its Content-Encoding has too many codings')
  // An empty body is not compressed, whatever the header says.
  if (body.length === 0) return body
  return codings.reduceRight(
    (coded, coding, index) =>
      isNamedAgain(coded, codings.slice(index)) ? coded : decodeOne(coded, coding, maxBytes),
    body,
  )
}

/** Whether an intermediary has only repeated the name of a coding, which has been reversed already. */
function isNamedAgain(coded: Buffer, [coding, ...reversed]: readonly string[]): boolean {
  const hasSignature = signatures.some(([format]) => format === coding)
  return hasSignature && reversed.includes(coding as string) && compressionOf(coded) !== coding
}

function decodeOne(body: Buffer, coding: string, maxOutputLength: number): Buffer {
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (!decoder) throw new DecodingError('unknown', `its Content-Encoding ${coding} is not supported`)
  try {
    return decoder(body, { maxOutputLength })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new DecodingError('too-large', 'its decoded body is too large', { cause })
    const hasSignature = signatures.some(([format]) => format === coding)
    if (hasSignature && compressionOf(body) === undefined)
      throw new DecodingError('malformed', `its body is not in ${coding}, which its Content-Encoding names`, {
        cause,
      })
    const [kind, defect] =
      code === 'Z_BUF_ERROR' ? (['cut-off', 'cut off'] as const) : (['malformed', 'damaged'] as const)
    throw new DecodingError(kind, `its ${coding} body is ${defect}`, { cause })
  }
}

/** The first bytes of compressed data. Brotli has none of its own. */
const signatures: readonly (readonly [format: string, bytes: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['compress', [0x1f, 0x9d]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', [0x78, 0x01]],
  ['deflate', [0x78, 0x9c]],
  ['deflate', [0x78, 0xda]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
]

/** The format of a body that begins like a compressed one; undefined if it does not. */
export function compressionOf(body: Buffer): string | undefined {
  return signatures.find(([, bytes]) => bytes.every((byte, at) => body[at] === byte))?.[0]
}
