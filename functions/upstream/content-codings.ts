import * as zlib from 'node:zlib'
import { canonicalCoding } from './canonical-coding.ts'
import { gunzipLeniently } from './gunzip.ts'

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
  gzip: gunzipLeniently,
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

/** A body cannot be decoded: its coding is `unknown`, its data `malformed` or `cut-off`, or it is `too-large`. */
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

/** The codings of a Content-Encoding header without the last ones that the body does not begin like. */
export function codingsIn(body: Buffer, contentEncoding: string | undefined): readonly string[] {
  const codings = codingsOf(contentEncoding)
  if (body.length === 0) return codings
  return codings.slice(0, codings.findLastIndex((_, at) => beginsLike(body, codings.slice(0, at + 1))) + 1)
}

/** Whether a format that a body begins like can be decoded. */
export const isDecodable = (format: string): boolean => Object.hasOwn(decoders, format)

/** The plain body; at most `maxBytes`, whatever the compressed one expands to. Throws `DecodingError`. */
export function decode(body: Buffer, codings: readonly string[], maxBytes: number): Buffer {
  if (codings.length > maxCodings)
    throw new DecodingError('unknown', 'its Content-Encoding has too many codings')
  // An empty body is not compressed, whatever the header says.
  if (body.length === 0) return body
  return codings.reduceRight(
    // Some servers name a coding that they have not applied, and intermediaries repeat its name.
    (coded, coding, at) =>
      beginsLike(coded, codings.slice(0, at + 1)) ? decodeOne(coded, coding, maxBytes) : coded,
    body,
  )
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
    const [kind, defect] =
      code === 'Z_BUF_ERROR' ? (['cut-off', 'cut off'] as const) : (['malformed', 'damaged'] as const)
    throw new DecodingError(kind, `its ${coding} body is ${defect}`, { cause })
  }
}

/** The first bytes of compressed data. Brotli has none of its own, nor has `deflate` without its zlib header. */
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
export const compressionOf = (body: Buffer): string | undefined =>
  signatures.find(([, bytes]) => bytes.every((byte, at) => body[at] === byte))?.[0]

/**
 * Whether a body can be in the last of these codings: it has its first bytes, or is no text if the coding has none of its
 * own. A body with the first bytes of another coding can be, unless that one was applied before.
 */
function beginsLike(body: Buffer, codings: readonly string[]): boolean {
  const coding = codings.at(-1) ?? ''
  const format = compressionOf(body)
  if (format !== undefined && format !== coding) return !codings.includes(format)
  const hasSignature = coding !== 'deflate' && signatures.some(([known]) => known === coding)
  return hasSignature ? format === coding : !isText(body)
}

/** Compressed data of two bytes or more is never text to its end, or for long. */
function isText(body: Buffer): boolean {
  const start = body.subarray(0, 64)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return body.length > 1 && !/[^\P{Cc}\t\n\r]/u.test(text)
  } catch {
    return false
  }
}
