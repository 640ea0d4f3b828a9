import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The bytes of the caller's body. API Gateway encodes bodies that are not text as base64. */
export function requestBody(event: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>): Buffer {
  const body = event.body ?? ''
  return event.isBase64Encoded ? Buffer.from(body, 'base64') : Buffer.from(body)
}
