import { isUtf8 } from 'node:buffer'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Representation } from './content-coding.ts'

export type LambdaResult = APIGatewayProxyStructuredResultV2 & { statusCode: number }

/** What a function may return, serialised (Lambda quotas: 6 MB for a synchronous response, and 100 bytes more). */
export const maxResultBytes = 6_291_556

/** An answer in the form that Lambda carries: as text, or else as base64; undefined if it is too large either way. */
export function lambdaResult(
  statusCode: number,
  { headers, body }: Representation,
): LambdaResult | undefined {
  const asText = { statusCode, headers, body: body.toString(), isBase64Encoded: false }
  if (isUtf8(body) && !('content-encoding' in headers) && fits(asText, body)) return asText
  const asBase64 = { statusCode, headers, body: body.toString('base64'), isBase64Encoded: true }
  return fits(asBase64, body) ? asBase64 : undefined
}

/** JSON makes at most six bytes of one, so most answers need not be serialised to be measured. */
function fits(result: LambdaResult, body: Buffer): boolean {
  return body.length < 1_000_000 || Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes
}
