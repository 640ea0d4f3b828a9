import { isUtf8 } from 'node:buffer'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Representation } from './content-coding.ts'

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
