/** Bytes with the headers that describe them, names in lower case. */
export interface Representation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Below this a body travels in one packet, compressed or not. */
const worthwhileBytes = 1024

/** A representation as a caller takes it: what is plain goes as gzip if it is larger than 1 KB and the caller takes it. */
export async function compressedFor(
  acceptEncoding: string | undefined,
  { headers, body }: Representation,
): Promise<Representation> {
  const plainRefused = weight(acceptEncoding, 'identity') === 0
  if (body.length === 0 || (body.length <= worthwhileBytes && !plainRefused)) return { headers, body }
  const varied = { ...headers, vary: 'accept-encoding' }
  if (!prefersGzip(acceptEncoding)) return { headers: varied, body }
  const { gzip } = await zlib()
  const smaller = await finished((done) => gzip(body, done))
  if (smaller.length >= body.length && !plainRefused) return { headers: varied, body }
  return { headers: { ...varied, 'content-encoding': 'gzip' }, body: smaller }
}

/**
 * How much a caller wants a coding, from 0 (not at all) to 1, by its Accept-Encoding (RFC 9110 section 12.5.3). Who
 * sends none could be given any coding by that section; we take it for a client that decodes nothing.
 */
function weight(acceptEncoding: string | undefined, coding: string): number {
  const wanted = weights(acceptEncoding)
  const known = wanted.get(coding) ?? wanted.get('*')
  return known ?? (coding === 'identity' ? plainUnasked : 0)
}

/** Plain may always be sent unless it is refused, but any coding that is asked for is liked better. */
const plainUnasked = 0.0001

function prefersGzip(acceptEncoding: string | undefined): boolean {
  const gzip = weight(acceptEncoding, 'gzip')
  // `*` alone likes both the same.
  return gzip > 0 && gzip >= weight(acceptEncoding, 'identity')
}

export function takes(acceptEncoding: string | undefined, codings: readonly string[]): boolean {
  return codings.every((coding) => weight(acceptEncoding, coding) > 0)
}

function weights(acceptEncoding = ''): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>()
  for (const [, name = '', q = '1'] of acceptEncoding.matchAll(member)) {
    const coding = canonical(name)
    if (!wanted.has(coding)) wanted.set(coding, Number(q))
  }
  return wanted
}

/** One member of the list; one whose weight is malformed is as good as absent. */
const member = /(?:^|,)[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*[qQ]=([01](?:\.\d{0,3})?)[ \t]*)?(?=,|$)/g

/** RFC 9110 section 8.4.1.3: `x-gzip` is the same. */
function canonical(coding: string): string {
  const name = coding.toLowerCase()
  return name === 'x-gzip' ? 'gzip' : name
}

/** The codings of a Content-Encoding in the order in which they were applied; none for a plain body. */
export function codingsOf(contentEncoding: string | undefined): readonly string[] {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => canonical(coding.trim()))
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/** A body cannot be decoded: `unknown` coding, `malformed` data, or `too-large` when it is plain. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError'
  readonly kind: 'unknown' | 'malformed' | 'too-large'

  constructor(kind: 'unknown' | 'malformed' | 'too-large', options?: ErrorOptions) {
    super(`A body could not be decoded: ${kind}`, options)
    this.kind = kind
  }
}

/** Nobody compresses the same thing more often than this but to do harm. */
const maxCodings = 3

/** The plain bytes; never more than `maxBytes`, whatever the compressed ones would grow to. Throws `DecodingError`. */
export async function decoded(body: Buffer, codings: readonly string[], maxBytes: number): Promise<Buffer> {
  if (codings.length > maxCodings) throw new DecodingError('unknown')
  let plain = body
  for (const coding of codings.toReversed()) plain = await decodedOnce(plain, coding, maxBytes)
  return plain
}

type Decode = (
  body: Buffer,
  options: { readonly maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

async function decodedOnce(body: Buffer, coding: string, maxOutputLength: number): Promise<Buffer> {
  const { gunzip, inflate, inflateRaw, brotliDecompress, zstdDecompress } = await zlib()
  // Some send `deflate` without the zlib header that RFC 9110 section 8.4.1.2 wants; 8 is the method in it.
  const deflate = ((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw
  const decoders: Readonly<Record<string, Decode>> = {
    gzip: gunzip,
    deflate,
    br: brotliDecompress,
    zstd: zstdDecompress,
  }
  const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  if (!decode) throw new DecodingError('unknown')
  try {
    return await finished((done) => decode(body, { maxOutputLength }, done))
  } catch (cause) {
    const tooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw new DecodingError(tooLarge ? 'too-large' : 'malformed', { cause })
  }
}

/** Loaded with the first body that needs it: most answers are small, and a start need not wait for it. */
const zlib = () => import('node:zlib')

function finished(start: (done: (error: Error | null, result: Buffer) => void) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => start((error, result) => (error ? reject(error) : resolve(result))))
}
