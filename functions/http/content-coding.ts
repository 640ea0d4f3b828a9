import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { canonicalCoding, prefersGzip, refusesIdentity } from './accept-encoding.ts'

/** A body with the headers that describe it, names in lower case. */
export interface Representation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const gzip = promisify<Buffer, Buffer>(zlib.gzip)

/** A smaller body fits into one packet, compressed or not. */
const minGzipBytes = 1024

/** The representation that suits a caller: gzip if the body is larger than 1 KB and the caller accepts it. */
export async function compressedFor(
  acceptEncoding: string | undefined,
  { headers, body }: Representation,
): Promise<Representation> {
  const mustCompress = refusesIdentity(acceptEncoding)
  if (body.length === 0 || (body.length <= minGzipBytes && !mustCompress)) return { headers, body }
  const varied = { ...headers, vary: 'accept-encoding' }
  if (!prefersGzip(acceptEncoding)) return { headers: varied, body }
  const compressed = await gzip(body)
  if (compressed.length >= body.length && !mustCompress) return { headers: varied, body }
  return { headers: { ...varied, 'content-encoding': 'gzip' }, body: compressed }
}

/** The codings of a Content-Encoding header in the order in which they were applied; none for a plain body. */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => canonicalCoding(coding.trim()))
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/** A body cannot be decoded: the coding is `unknown`, the data is `malformed`, or the plain body is `too-large`. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError'
  readonly kind: 'unknown' | 'malformed' | 'too-large'

  constructor(kind: 'unknown' | 'malformed' | 'too-large', options?: ErrorOptions) {
    super(`The body cannot be decoded: ${kind}`, options)
    this.kind = kind
  }
}

/** More codings than this are an attack. */
const maxCodings = 3

/** The plain body; at most `maxBytes`, whatever the compressed one expands to. Throws `DecodingError`. */
export function decode(body: Buffer, codings: readonly string[], maxBytes: number): Buffer {
  if (codings.length > maxCodings) throw new DecodingError('unknown')
  return codings.reduceRight((coded, coding) => decodeOne(coded, coding, maxBytes), body)
}

const decoders: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: zlib.gunzipSync,
  // Some servers send `deflate` without the zlib header of RFC 9110 section 8.4.1.2, whose first byte ends in 8.
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(body, options) : zlib.inflateRawSync(body, options),
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
}

function decodeOne(body: Buffer, coding: string, maxOutputLength: number): Buffer {
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (!decoder) throw new DecodingError('unknown')
  try {
    return decoder(body, { maxOutputLength })
  } catch (cause) {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw new DecodingError(isTooLarge ? 'too-large' : 'malformed', { cause })
  }
}
