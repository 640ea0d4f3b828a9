import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Quotas of HTTP APIs and of Lambda, which cannot be raised. */
export const maxBodyBytes = 10 * 1024 * 1024
const maxHeadBytes = 10_240
const maxEventBytes = 6 * 1024 * 1024

/** Whether the request line and the header values together are larger than API Gateway accepts. */
export function isHeadTooLarge({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): boolean {
  const requestLine = `${method} ${url} HTTP/${httpVersion}`
  const values = rawHeaders.filter((_, index) => index % 2 === 1)
  return Buffer.byteLength([requestLine, ...values].join('')) > maxHeadBytes
}

/** Whether the event is larger than Lambda accepts in a synchronous invocation. */
export function isEventTooLarge(event: APIGatewayProxyEventV2): boolean {
  // JSON escapes a byte to at most six bytes, so small events need not be serialized to be measured.
  const bodyBytes = Buffer.byteLength(event.body ?? '')
  return bodyBytes > maxEventBytes / 12 && Buffer.byteLength(JSON.stringify(event)) > maxEventBytes
}
