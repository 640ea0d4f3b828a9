import { maxResultBytes } from '../../http/result.ts'
import type { Endpoint } from '../../platform/endpoints.ts'
import { codingsOf, compressionOf, DecodingError, decode } from '../../upstream/content-codings.ts'
import { hiddenCompression } from '../../upstream/decode-response.ts'
import { inUtf8 } from '../../upstream/utf-8.ts'
import { undecodable } from './delivery.ts'
import { type RelayedResponse, responseTooLarge, unusable } from './relay.ts'

/**
 * An error response without the app key and app token, which a platform may echo. A compressed body is decoded for that.
 * Throws `ProblemError` if it cannot be decoded.
 */
export function withoutCredentials(
  response: RelayedResponse,
  { endpoint, redact }: { readonly endpoint: Endpoint; readonly redact: (text: string) => string },
): RelayedResponse {
  const { statusCode, body } = response
  if (statusCode < 400) return response
  const headers = withoutCredentialsIn(response.headers, redact)
  if (!body || body.length === 0) return { ...response, headers }
  // Latin-1 maps each byte to one character and back, whatever the charset. Credentials are ASCII.
  const text = decodeResponse(response, body, endpoint).toString('latin1')
  const redacted = redact(text)
  if (redacted === text) return { ...response, headers }
  const { 'content-encoding': _, ...plainHeaders } = headers
  return { statusCode, headers: plainHeaders, body: Buffer.from(redacted, 'latin1') }
}

const withoutCredentialsIn = (headers: RelayedResponse['headers'], redact: (text: string) => string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))

function decodeResponse({ statusCode, headers }: RelayedResponse, body: Buffer, endpoint: Endpoint): Buffer {
  try {
    const plain = decode(body, codingsOf(headers['content-encoding']), maxResultBytes)
    const format = compressionOf(plain)
    if (format !== undefined) throw new DecodingError('malformed', hiddenCompression(format))
    return inUtf8(plain)
  } catch (error) {
    if (!(error instanceof DecodingError)) throw error
    throw error.kind === 'too-large' ? responseTooLarge(endpoint) : unusable(undecodable(error), statusCode)
  }
}
