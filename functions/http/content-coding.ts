import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { prefersGzip, refusesIdentity } from './accept-encoding.ts'

/** A body with the headers that describe it, names in lower case. */
export interface Representation {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const gzip = promisify<Buffer, Buffer>(gzipWithCallback)

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
