import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib'
import type { UpstreamResponse } from '../../upstream/exchange.ts'

const decoders: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/**
 * The answer without its content coding (RFC 9110 section 8.4), which a proxy on the way may add although nobody asked
 * for it. A body that cannot be decoded stays as it is, and is then no page. In one go, unlike the front door's: nobody
 * else waits for this worker, and the simulation's clock moves on while something goes on beside it.
 */
export function withoutCoding(answer: UpstreamResponse, mostBytes: number): UpstreamResponse {
  const decode = decoders[answer.headers['content-encoding']?.trim().toLowerCase() ?? '']
  if (!decode || answer.body.length === 0) return answer
  try {
    return { ...answer, body: decode(answer.body, { maxOutputLength: mostBytes }) }
  } catch {
    return answer
  }
}
