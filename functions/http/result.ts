import { isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { prefersGzip, refusesIdentity } from './accept-encoding.ts'

export type LambdaResult = APIGatewayProxyStructuredResultV2 & { statusCode: number }

/** Maximum size of a serialized response (Lambda quotas: 6 MB for a synchronous invocation, plus 100 bytes). */
export const maxResultBytes = 6_291_556

/** A function's result, with the body as text or base64; undefined if it is too large in both forms. */
export function lambdaResult(
  statusCode: number,
  { headers, body }: Representation,
): LambdaResult | undefined {
  const asText = { statusCode, headers, body: body.toString(), isBase64Encoded: false }
  if (isUtf8(body) && !('content-encoding' in headers) && fits(asText, body)) return asText
  const asBase64 = { statusCode, headers, body: body.toString('base64'), isBase64Encoded: true }
  return fits(asBase64, body) ? asBase64 : undefined
}

/** JSON escapes a byte to at most six bytes, so small bodies need not be serialized to be measured. */
const fits = (result: LambdaResult, body: Buffer): boolean =>
  body.length < 1_000_000 || Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes

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
