import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** The bytes of the caller's body. API Gateway encodes bodies that are not text as base64. */
export const requestBody = (event: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>): Buffer =>
  Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
